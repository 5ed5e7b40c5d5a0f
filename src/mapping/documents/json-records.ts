import type { Encoding } from "../../formats/encodings/encoding.ts";
import { jsonText, mayHoldProto, parseJsonText, protoMembers, unwrapped } from "../../formats/import/read-json.ts";
import { parseXml } from "../../formats/xml/parse-xml.ts";
import { parseExactJson } from "../../kit/json/exact-number.ts";
import { all, recordsAt, refusedBecause, type SourceRecords } from "./source-records.ts";

/** The elements of a JSON file: those at the path; otherwise the file itself if it is a list, or the list under a usual name. */
export function jsonRecords(
  bytes: Uint8Array,
  needs: { listName: string; path: string | undefined; encoding: Encoding | undefined; isMapped: boolean },
): SourceRecords {
  const { listName, path } = needs;
  const source = jsonText(bytes, needs.encoding);
  if ("refusal" in source) return { refusal: source.refusal.problems, count: source.refusal.problemCount };
  const { text } = source;
  const parsed = parseJsonText(text, needs.isMapped ? parseExactJson : undefined);
  if ("refusal" in parsed) return { refusal: parsed.refusal.problems, count: parsed.refusal.problemCount };
  if (mayHoldProto(text)) {
    const [first] = protoMembers(parsed.value);
    if (first !== undefined) return refusedBecause(`${first.field}: this name is not allowed; rename the member`);
  }
  if (path !== undefined) return recordsAt(parsed.value, path);
  const { elements } = unwrapped(parsed.value, listName);
  return all(
    elements.map((value, index) => ({ row: index + 1, value })),
    true,
  );
}

/** The records of an XML file: those at the path; otherwise the repeated elements below the root; otherwise the root. */
export function xmlRecords(bytes: Uint8Array, path: string | undefined): SourceRecords {
  const reading = parseXml(bytes);
  if ("flaw" in reading) {
    const { line, column, text } = reading.flaw;
    return refusedBecause(`line ${line}, column ${column}: ${text}`);
  }
  // All values are texts, so even records with the contract's own names need a mapping to become numbers.
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
