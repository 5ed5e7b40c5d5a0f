import { isUtf8 } from "node:buffer";
import { recordsAt } from "../../sdk/documents/records-at.ts";
import { all, refusedBecause, type SourceRecords } from "../../sdk/documents/source-records.ts";
import { sourcePath } from "../../sdk/mapping/source-path.ts";
import type { JsonReading } from "../read-json.ts";

/** More fields than this no form has; each costs more memory than it has bytes. */
const maxFields = 10_000;

/**
 * A form as one record: its fields by name, those given several times as a list. Or the records that stand as JSON in
 * one of its fields, as webhooks of older systems send them.
 */
export function formRecords(
  bytes: Uint8Array,
  path: string | undefined,
  readJson: (bytes: Uint8Array) => JsonReading,
): SourceRecords {
  if (!isUtf8(bytes)) return refusedBecause("the form is not UTF-8");
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  const fields = new Map<string, string | string[]>();
  let count = 0;
  for (const [name, value] of new URLSearchParams(text)) {
    if (++count > maxFields) return refusedBecause(`the form has more than ${maxFields} fields`);
    if (name === "__proto__") return refusedBecause("a field cannot be named __proto__");
    const known = fields.get(name);
    if (Array.isArray(known)) known.push(value);
    else fields.set(name, known === undefined ? value : [known, value]);
  }
  const form: Record<string, unknown> = Object.fromEntries(fields);
  if (path === undefined) return all([{ row: 1, value: form }], false);
  const first = String(sourcePath(path)?.steps[0] ?? "");
  const json = fields.get(first);
  if (typeof json === "string" && /^\s*[{[]/.test(json)) {
    const reading = readJson(Buffer.from(json));
    if ("problem" in reading) return refusedBecause(`the field ${first} is no JSON`);
    const records = recordsAt({ [first]: reading.value }, path);
    return "records" in records ? { ...records, isReady: true } : records;
  }
  const records = recordsAt(form, path);
  return "records" in records ? { ...records, isReady: false } : records;
}
