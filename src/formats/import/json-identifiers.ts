import type { MessageKey } from "../../messages/catalogue.ts";
import {
  invisibleIn,
  isOnlySigns,
  isWholeDate,
  scientific,
  standsForNothing,
  traceInIdentifier,
} from "../fields/spreadsheet-trace.ts";
import { type FileProblem, ProblemList } from "./file-reading.ts";

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
    else {
      const flaw = flawOfRecord(text);
      if (flaw !== null) problems.add(flaw, at);
    }
  }
  return problems.count > before;
}

/** An order or an item. */
export interface NumberedRecord {
  readonly number: string;
  readonly requests?: readonly { readonly itemNumber: string }[];
}

/**
 * A number of an order or item that these records have in two spellings that look the same: with composed letters and
 * with decomposed ones. Both may exist, so they stay two numbers, but most likely one is meant.
 */
export function lookAlike(records: Iterable<NumberedRecord>): string | undefined {
  const orders = new Map<string, string>();
  const items = new Map<string, string>();
  for (const { number, requests = [] } of records) {
    if (isOther(orders, number)) return number.normalize("NFC");
    for (const { itemNumber } of requests) if (isOther(items, itemNumber)) return itemNumber.normalize("NFC");
  }
  return undefined;
}

/** Whether another spelling of this text is known. If not, the text is remembered. */
function isOther(spellings: Map<string, string>, text: string): boolean {
  if (!beyondAscii.test(text)) return false;
  const composed = text.normalize("NFC");
  const known = spellings.get(composed);
  if (known === undefined) spellings.set(composed, text);
  return known !== undefined && known !== text;
}

/** ASCII has one spelling only. */
const beyondAscii = /[\u0080-\uffff]/;

/**
 * The numbers of a mapped record that an import without a mapping would refuse. Those in `quoted` are real: a CSV file
 * writes them as `="Total"`.
 */
export function mappedIdentifierProblems(
  element: unknown,
  row: number,
  { isTable, quoted = [] }: { readonly isTable: boolean; readonly quoted?: readonly string[] | undefined },
): readonly FileProblem[] {
  const flawOf = isTable ? flawOfCell : flawOfRecord;
  let problems: ProblemList | undefined;
  for (const { field, text } of numbersIn(element)) {
    const key = quoted.includes(text) ? null : flawOf(text);
    if (key === null) continue;
    problems ??= new ProblemList();
    problems.add(key, { row, column: field, value: text }, { code: invisibleIn(text) ?? "" });
  }
  return problems?.sorted() ?? [];
}

/** Null for an empty text, too: whether a number must be there is checked with the schema. */
function flawOfCell(text: string): MessageKey | null {
  if (text === "" || /^\d+$/.test(text)) return null;
  if (invisibleIn(text) !== null) return "files.cell.invisible";
  if (scientific.test(text)) return "files.cell.scientific";
  if (isWholeDate(text)) return "files.cell.made-a-date";
  if (standsForNothing(text)) return "files.cell.no-value";
  // After the errors, because `####` is one.
  return traceInIdentifier(text) ?? (isOnlySigns(text) ? "files.cell.no-value" : null);
}

/**
 * The same for a record of a JSON or XML file, which a program may have made from a spreadsheet, row by row, its totals
 * included. Dates are no flaw: `12/3/2030` is the usual number of an order in some systems, and no spreadsheet rewrites it.
 */
function flawOfRecord(text: string): MessageKey | null {
  const flaw = flawOfCell(text);
  if (flaw === "files.cell.made-a-date") return null;
  return flaw === "files.cell.total" ? "files.cell.total-record" : flaw;
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
