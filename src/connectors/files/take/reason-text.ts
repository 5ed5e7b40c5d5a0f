import type { Language } from "../../../messages/languages.ts";
import { localise } from "../../../messages/localise.ts";
import type { OperatorText } from "../../../messages/message.ts";
import { shownName } from "../store/file-name.ts";

export interface Reasons {
  /** The first of them, each a whole sentence with row, column, value and what is expected. */
  readonly lines: readonly OperatorText[];
  readonly count: number;
  /** What became of the rest of the file. */
  readonly taken: number;
}

/** What stands in the file beside a refused one, for the person who mends it. */
export function reasonText(name: string, { lines, count, taken }: Reasons, language: Language): string {
  const head = [
    `File: ${shownName(name)}`,
    taken === 0 ? "Nothing of it was taken in." : `Taken in: ${taken}. Kept back, because of the errors below:`,
    `Errors: ${count}`,
    "",
  ];
  const shown = lines.map((line) => singleLine(localise(line, language)));
  const rest = count > lines.length ? [`… and ${count - lines.length} more.`] : [];
  return `${[...head, ...shown, ...rest].join("\r\n")}\r\n`;
}

/** A value with a line break in it must not look like an error of its own. */
const singleLine = (text: string) => text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ");
