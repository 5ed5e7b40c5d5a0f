import type { Texts } from "../../src/messages/languages.ts";
import { auditTexts } from "./audit.ts";
import { connectTexts } from "./connect.ts";
import { deliveriesTexts } from "./deliveries.ts";
import { entriesTexts } from "./entries.ts";
import { floorTexts } from "./floor.ts";
import { importTexts } from "./import.ts";
import { ordersTexts } from "./orders.ts";
import { overviewTexts } from "./overview.ts";
import { quarantineTexts } from "./quarantine.ts";
import { settingsTexts } from "./settings.ts";
import { shellTexts } from "./shell.ts";

/** All texts of the console, with one file per subject. */
export const consoleTexts = {
  ...shellTexts,
  ...overviewTexts,
  ...ordersTexts,
  ...entriesTexts,
  ...deliveriesTexts,
  ...auditTexts,
  ...quarantineTexts,
  ...importTexts,
  ...connectTexts,
  ...floorTexts,
  ...settingsTexts,
} as const satisfies Record<string, Texts>;
export type ConsoleText = keyof typeof consoleTexts;
