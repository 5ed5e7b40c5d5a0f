import type { Texts } from "../../src/messages/languages.ts";
import { deliveriesTexts } from "./deliveries.ts";
import { ordersTexts } from "./orders.ts";
import { overviewTexts } from "./overview.ts";
import { shellTexts } from "./shell.ts";

/** Every text of the console, one file per subject. */
export const consoleTexts = {
  ...shellTexts,
  ...overviewTexts,
  ...ordersTexts,
  ...deliveriesTexts,
} as const satisfies Record<string, Texts>;
export type ConsoleText = keyof typeof consoleTexts;
