import type { DetectedColumn } from "../../../formats/import/file-reading.ts";
import type { Language } from "../../../messages/languages.ts";
import { localise } from "../../../messages/localise.ts";
import type { OperatorText } from "../../../messages/message.ts";
import { shownName } from "../store/file-store.ts";

export interface Reasons {
  /** The first of them, each a whole sentence with row, column, value and what is expected. */
  readonly lines: readonly OperatorText[];
  readonly count: number;
  /** How many records were imported. */
  readonly accepted: number;
  /** Only for CSV files, so that a person sees which heading was not recognised. */
  readonly columns?: readonly DetectedColumn[] | undefined;
}

const maxColumns = 100;
const maxHeading = 40;

/** The text beside a refused file, for the person who corrects it. */
export function reasonText(
  name: string,
  { lines, count, accepted, columns = [] }: Reasons,
  language: Language,
): string {
  const head = [
    `File: ${shownName(name)}`,
    accepted === 0
      ? "Nothing was imported."
      : `Imported: ${accepted}. The records with the errors below were not imported.`,
    `Errors: ${count}`,
    "",
  ];
  const shown = lines.map((line) => singleLine(localise(line, language)));
  const rest = count > lines.length ? [`… and ${count - lines.length} more.`] : [];
  return `${[...head, ...shown, ...rest, ...columnLines(columns)].join("\r\n")}\r\n`;
}

function columnLines(columns: readonly DetectedColumn[]): string[] {
  if (columns.length === 0) return [];
  const named = columns.map(({ header, field }, index) => ({
    heading: singleLine(header).trim().slice(0, maxHeading) || `(${index + 1}, without a heading)`,
    field,
  }));
  const used = named.flatMap(({ heading, field }) =>
    field === null ? [] : [heading === field ? heading : `${heading} = ${field}`],
  );
  const ignored = named.flatMap(({ heading, field }) => (field === null ? [heading] : []));
  return [
    "",
    `Columns found: ${listed(named.map(({ heading }) => heading))}`,
    `Columns used: ${listed(used)}`,
    `Columns ignored: ${listed(ignored)}`,
  ];
}

const listed = (texts: readonly string[]) =>
  texts.length === 0 ? "none" : texts.slice(0, maxColumns).join("; ") + (texts.length > maxColumns ? "; …" : "");

/** Replaces line breaks by spaces: a value that contains one must not look like a separate error. */
const singleLine = (text: string) => text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ");
