import { connectionLines } from "./connection-lines.ts";
import type { LogLine } from "./log-line.ts";
import { processLines } from "./process-lines.ts";
import { workLines } from "./work-lines.ts";

/** Every message that the adapter logs. docs/reference/log-messages.md is generated from it. */
export const logCatalogue: readonly LogLine[] = [...processLines, ...connectionLines, ...workLines];

const byText = new Map(logCatalogue.map((line) => [line.text, line]));

/** Returns null for a text that is not in the catalogue, because modules of others log too. */
export const logLine = (text: string): LogLine | null => byText.get(text) ?? null;
