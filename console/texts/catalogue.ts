import type { Texts } from "../../src/messages/languages.ts";
import { connectTexts } from "./connect.ts";
import { deliveriesTexts } from "./deliveries.ts";
import { ordersTexts } from "./orders.ts";
import { overviewTexts } from "./overview.ts";
import { shellTexts } from "./shell.ts";
import { workshopTexts } from "./workshop.ts";

/** Every text of the console, one file per subject. */
export const consoleTexts = {
  ...shellTexts,
  ...overviewTexts,
  ...ordersTexts,
  ...deliveriesTexts,
  ...connectTexts,
  ...workshopTexts,
} as const satisfies Record<string, Texts>;
export type ConsoleText = keyof typeof consoleTexts;
