import { parseXml } from "../xml/parse-xml.ts";
import { recordsAt } from "./records-at.ts";
import { all, refusedBecause, type SourceRecords } from "./source-records.ts";

/** The records of an XML file: those at the path, else what repeats below the outermost element, else that itself. */
export function xmlRecords(bytes: Uint8Array, path: string | undefined): SourceRecords {
  const reading = parseXml(bytes);
  if ("flaw" in reading) {
    const { line, column, text } = reading.flaw;
    return refusedBecause(`line ${line}, column ${column}: ${text}`);
  }
  // Everything in it is text, so that even records with the contract's own names need a mapping to become numbers.
  const records = path === undefined ? all(guessed(reading.value), false) : recordsAt(reading.value, path);
  return "records" in records ? { ...records, isReady: false } : records;
}

function guessed(document: Readonly<Record<string, unknown>>) {
  const [root] = Object.values(document);
  const inner = typeof root === "object" && root !== null ? Object.entries(root) : [];
  const [only, ...others] = inner.filter(([name]) => !name.startsWith("@") && name !== "#text");
  const isList = others.length === 0 && typeof only?.[1] === "object" && only[1] !== null;
  const found: unknown = isList ? only[1] : root;
  return (Array.isArray(found) ? found : [found]).map((value: unknown, index) => ({ row: index + 1, value }));
}
