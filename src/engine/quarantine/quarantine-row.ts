import { pushTopics } from "../../contract/pushes.ts";
import { cutToBytes, jsonBeginning } from "../../kit/json/json-beginning.ts";
import { integer, nullable, pick, type Row, row, text, textOf } from "../../kit/sqlite/row.ts";
import type { SqlValue } from "../../kit/sqlite/sqlite.ts";
import { sourcePlaces, sourceRecordOf } from "../../mapping/source-record.ts";
import { sayPhrase } from "../../messages/phrases/phrase.ts";
import { longestOf, type MaskSecrets } from "../../operation/record-sent.ts";
import { maskedBody } from "../delivery/exchanges/exchange-log.ts";
import type { BadRecord, QuarantineProblem, QuarantineRecord } from "./quarantine.ts";
import { suggestedFix } from "./suggested-fix.ts";

export const quarantineRow = row({
  id: integer,
  source: text,
  kind: textOf(...pushTopics),
  key: text,
  number: text,
  origin: text,
  problems: text,
  problem_count: integer,
  fix: text,
  first_seen_at: integer,
  last_seen_at: integer,
  count: integer,
  raw: text,
  is_raw_cut: integer,
  source_record: nullable(text),
  is_source_record_cut: integer,
});
export const decisionRow = row({
  id: integer,
  at: integer,
  operator: text,
  reason: text,
  source: text,
  kind: text,
  number: text,
  problems: text,
});

/** What a list shows of a record: everything without its content, which may be long. */
export const listedRow = pick(
  quarantineRow,
  ...(["id", "source", "kind", "number", "origin", "problems", "problem_count", "fix"] as const),
  ...(["first_seen_at", "last_seen_at", "count"] as const),
);
type ListedRow = Row<typeof listedRow>;

/** Of a longer record the beginning is kept. The same limit holds for the record it was mapped from. */
export const maxRecordBytes = 64 * 1024;
const maxProblems = 100;
const maxNumberLength = 200;
const maxOriginLength = 500;

/** The stored part of a bad record, from `number` to `is_source_record_cut`; every part is bounded. */
export function rowOf(
  { number, origin = "", problems, sourceOf, raw }: BadRecord,
  maskSecrets: MaskSecrets = (text) => text,
): SqlValue[] {
  const source = sourceRecordOf(raw);
  const kept = problems.slice(0, maxProblems).map((problem): QuarantineProblem => {
    const sourceField = (sourceOf ?? source?.sourceOf)?.(problem.field);
    const note = mappingNote(raw, problem.field);
    return {
      ...problem,
      ...(sourceField === undefined ? {} : { sourceField }),
      ...(source === undefined ? {} : { sourcePlaces: sourcePlaces(problem.field, raw, source) }),
      ...(note === undefined ? {} : { mappingNote: note }),
    };
  });
  const stored = jsonBeginning(raw, maxRecordBytes);
  const sent = source === undefined ? undefined : maskedBeginning(source.record, maxRecordBytes, maskSecrets);
  return [
    number.slice(0, maxNumberLength),
    origin.slice(0, maxOriginLength),
    JSON.stringify(kept),
    problems.length,
    sayPhrase(suggestedFix(kept)),
    stored.text,
    stored.isCut ? 1 : 0,
    sent?.text ?? null,
    sent?.isCut === true ? 1 : 0,
  ];
}

/** At least as much beyond the cut is masked too: the value of a member that is known as a secret by its name. */
const leastOverhang = 8 * 1024;

/**
 * The beginning of a record of the external system, without secrets: it has members that no rule reads. The end of what
 * is masked may be the first part of a secret, which is not recognised, and is left out.
 */
function maskedBeginning(record: unknown, maxBytes: number, mask: MaskSecrets): ReturnType<typeof jsonBeginning> {
  const overhang = Math.max(leastOverhang, longestOf(mask));
  const { text, isCut } = jsonBeginning(record, maxBytes + overhang);
  const masked = maskedBody(text, mask);
  const sure = isCut ? masked.slice(0, -overhang) : masked;
  const kept = cutToBytes(sure, maxBytes);
  return { text: kept, isCut: isCut || kept.length < sure.length };
}

export const recordOf = (row: ListedRow): QuarantineRecord => ({
  id: row.id,
  source: row.source,
  kind: row.kind,
  number: row.number,
  origin: row.origin,
  // `rowOf` above wrote this text.
  problems: JSON.parse(row.problems) as QuarantineProblem[],
  problemCount: row.problem_count,
  fix: row.fix,
  firstSeenAt: row.first_seen_at,
  lastSeenAt: row.last_seen_at,
  count: row.count,
});

/**
 * Returns the mapping's message about a member that it could not produce. The message is in the member's place as `{
 * problem }` (src/mapping/run.ts), and is more helpful than "wrong type".
 */
function mappingNote(record: unknown, field: string): string | undefined {
  let value = record;
  for (const step of field.split(/[.[\]]/).filter(Boolean)) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
    value = Reflect.get(value, step);
  }
  if (typeof value !== "object" || value === null || Object.keys(value).join() !== "problem") return undefined;
  // The object has this one member.
  const { problem } = value as { problem: unknown };
  return typeof problem === "string" ? problem.slice(0, maxNoteLength) : undefined;
}

const maxNoteLength = 500;
