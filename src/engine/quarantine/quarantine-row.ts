import type { PushTopic } from "../../contract/pushes.ts";
import type { SqlValue } from "../../kit/sqlite.ts";
import { mappingNote } from "./mapping-note.ts";
import type { BadRecord, QuarantineProblem, QuarantineRecord } from "./quarantine.ts";
import { suggestedFix } from "./suggested-fix.ts";

export interface QuarantineRow {
  readonly id: number;
  readonly source: string;
  readonly kind: PushTopic;
  readonly number: string;
  readonly origin: string;
  readonly problems: string;
  readonly problem_count: number;
  readonly fix: string;
  readonly first_seen_at: number;
  readonly last_seen_at: number;
  readonly count: number;
}

const maxRawBytes = 64 * 1024;
const maxProblems = 100;
const maxNumberLength = 200;
const maxOriginLength = 500;

/** What is stored of a bad record, from `number` to `is_raw_cut`; every part of it bounded. */
export function rowOf({ number, origin = "", problems, sourceOf, raw }: BadRecord): SqlValue[] {
  const kept = problems.slice(0, maxProblems).map((problem): QuarantineProblem => {
    const sourceField = sourceOf?.(problem.field);
    const note = mappingNote(raw, problem.field);
    return {
      ...problem,
      ...(sourceField === undefined ? {} : { sourceField }),
      ...(note === undefined ? {} : { mappingNote: note }),
    };
  });
  const text = JSON.stringify(raw) ?? "null";
  const cut = cutToBytes(text, maxRawBytes);
  return [
    number.slice(0, maxNumberLength),
    origin.slice(0, maxOriginLength),
    JSON.stringify(kept),
    problems.length,
    suggestedFix(kept),
    cut,
    cut.length < text.length ? 1 : 0,
  ];
}

export const recordOf = (row: QuarantineRow): QuarantineRecord => ({
  id: row.id,
  source: row.source,
  kind: row.kind,
  number: row.number,
  origin: row.origin,
  // Written by rowOf above.
  problems: JSON.parse(row.problems) as QuarantineProblem[],
  problemCount: row.problem_count,
  fix: row.fix,
  firstSeenAt: row.first_seen_at,
  lastSeenAt: row.last_seen_at,
  count: row.count,
});

function cutToBytes(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text;
  // Decoding drops the piece of a character that was cut in two.
  return new TextDecoder().decode(Buffer.from(text).subarray(0, maxBytes)).replace(/\uFFFD$/, "");
}
