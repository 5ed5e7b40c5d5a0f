import { errorInIdentifier, invisibleIn, standsForNothing } from "../fields/spreadsheet-trace.ts";
import type { ProblemList } from "./file-reading.ts";

/**
 * Reports numbers of orders and items that are none, as in a CSV file: blanks, characters that cannot be seen, and what
 * programs write for a missing value. Nobody could scan them, and two of them look the same. True if there are any.
 */
export function addIdentifierProblems(problems: ProblemList, row: number, element: unknown): boolean {
  const before = problems.count;
  for (const { field, text } of numbersIn(element)) {
    const at = { row, column: field, literal: JSON.stringify(text) };
    const code = text.trim() === text ? invisibleIn(text) : (invisibleIn(text) ?? "U+0020");
    if (text === "") continue;
    if (text.trim() === "") problems.add("files.cell.filled", at);
    else if (code !== null) problems.add("files.cell.invisible", at, { code });
    else if (standsForNothing(text)) problems.add("files.cell.no-value", at);
    else if (errorInIdentifier(text)) problems.add("files.cell.spreadsheet-error", at);
  }
  return problems.count > before;
}

interface Numbered {
  readonly field: string;
  readonly text: string;
}

/** Only texts: whether a number is one, and is there and not empty, is checked with the schema. */
function* numbersIn(element: unknown): Generator<Numbered> {
  for (const [name, member] of Object.entries(Object(element))) {
    const known = name.toLowerCase();
    if (typeof member === "string" && ["number", "workordernumber", "itemnumber"].includes(known)) {
      yield { field: name, text: member };
    } else if (known === "requests" && Array.isArray(member)) {
      for (const [index, line] of member.entries()) {
        for (const { field, text } of numbersIn(line)) yield { field: `${name}[${index}].${field}`, text };
      }
    }
  }
}
