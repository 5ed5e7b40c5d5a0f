import { isUtf8 } from "node:buffer";
import { memberPath } from "../../kit/json/member-path.ts";
import { all, recordsAt, refusedBecause, type SourceRecords } from "../../mapping/documents/source-records.ts";
import type { JsonReading } from "../contract/parse-json-body.ts";

/** More fields than any real form has; each costs more memory than it has bytes. */
const maxFields = 10_000;

/**
 * Reads a form as one record: its fields by name, repeated fields as a list. Or reads the records from a field that
 * contains JSON, as webhooks of older systems send it.
 */
export function formRecords(
  bytes: Uint8Array,
  path: string | undefined,
  readJson: (bytes: Uint8Array) => JsonReading,
): SourceRecords {
  if (!isUtf8(bytes)) return refusedBecause("the form is not UTF-8");
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  const fields = new Map<string, string | string[]>();
  const spellings = new Map<string, string>();
  let count = 0;
  for (const [name, value] of new URLSearchParams(text)) {
    if (++count > maxFields) return refusedBecause(`the form has more than ${maxFields} fields`);
    if (name === "__proto__") return refusedBecause("a field cannot be named __proto__");
    const spelling = spellings.get(name.toLowerCase());
    // Names are read in any letter case, so one of the two values would be lost silently.
    if (spelling !== undefined && spelling !== name) {
      return refusedBecause(`the fields ${spelling} and ${name} are one name given twice; keep one`);
    }
    spellings.set(name.toLowerCase(), name);
    const known = fields.get(name);
    if (Array.isArray(known)) known.push(value);
    else fields.set(name, known === undefined ? value : [known, value]);
  }
  const form: Record<string, unknown> = Object.fromEntries(fields);
  if (path === undefined) return all([{ row: 1, value: form }], false);
  const first = String(memberPath(path)?.steps[0] ?? "");
  const json = fields.get(first);
  if (typeof json === "string" && /^\s*[{[]/.test(json)) {
    const reading = readJson(Buffer.from(json));
    if ("problem" in reading) {
      const { expected, detail } = reading.problem;
      return refusedBecause(
        `the field ${first} is not valid JSON${expected === "json" ? `; see position ${detail}` : ""}`,
      );
    }
    const records = recordsAt({ [first]: reading.value }, path);
    return "records" in records ? { ...records, isReady: true } : records;
  }
  const records = recordsAt(form, path);
  return "records" in records ? { ...records, isReady: false } : records;
}
