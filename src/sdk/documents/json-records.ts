import { parseExactJson } from "../../kit/exact-number.ts";
import type { Encoding } from "../records/encoding.ts";
import { mayHoldProto, protoMembers } from "../records/proto-members.ts";
import { jsonText, parseJsonText, unwrapped } from "../records/read-json.ts";
import { recordsAt } from "./records-at.ts";
import { all, refusedBecause, type SourceRecords } from "./source-records.ts";

/** The elements of a JSON file: those at the path, else the list it is or holds under one of the usual names. */
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
    if (first !== undefined) return refusedBecause(`${first.field}: a member cannot have this name; rename it`);
  }
  if (path !== undefined) return recordsAt(parsed.value, path);
  const { elements } = unwrapped(parsed.value, listName);
  return all(
    elements.map((value, index) => ({ row: index + 1, value })),
    true,
  );
}
