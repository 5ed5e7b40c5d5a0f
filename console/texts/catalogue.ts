import type { Texts } from "../../src/messages/languages.ts";
import { auditTexts } from "./audit.ts";
import { connectTexts } from "./connect.ts";
import { deliveriesTexts } from "./deliveries.ts";
import { floorTexts } from "./floor.ts";
import { ordersTexts } from "./orders.ts";
import { overviewTexts } from "./overview.ts";
import { shellTexts } from "./shell.ts";
import { workshopTexts } from "./workshop.ts";

/** All texts of the console, with one file per subject. */
export const consoleTexts = {
  ...shellTexts,
  ...overviewTexts,
  ...ordersTexts,
  ...deliveriesTexts,
  ...auditTexts,
  ...connectTexts,
  ...floorTexts,
  ...workshopTexts,
} as const satisfies Record<string, Texts>;
export type ConsoleText = keyof typeof consoleTexts;
