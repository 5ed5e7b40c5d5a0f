import type { Problem } from "../../contract/validate/problem.ts";
import { parseJsonKeepingDigits } from "../../kit/json/exact-number.ts";
import { defaultLanguage } from "../../messages/languages.ts";
import { localise } from "../../messages/localise.ts";
import type { DateSettings } from "../../operation/dates.ts";
import type { Intake } from "../../sdk/intake.ts";
import { readElement } from "../intake/read-push.ts";
import type { DropDecision, Quarantine, QuarantineDetail, RetryWay } from "./quarantine.ts";
import type { QueryAgain } from "./query-again.ts";

export interface RetryNeeds {
  readonly quarantine: Pick<Quarantine, "show" | "drop">;
  readonly intakeOf: (source: string) => Intake;
  readonly dates: () => DateSettings;
  /** Why a record of this kind would appear in no list; undefined if it would. */
  readonly unserved: (kind: Parameters<typeof readElement>[0]) => string | undefined;
  readonly queryAgain: QueryAgain;
}

export type Retried =
  | { readonly ids: readonly string[] }
  | { readonly problems: readonly Problem[] }
  | { readonly refused: string };

/** Takes a record in again. If `element` is given, it is taken in instead of the stored record. */
export type RetryRecord = (
  id: number,
  request: DropDecision & { readonly element?: unknown },
) => Promise<Retried | null>;

export interface RecordRetry {
  readonly retry: RetryRecord;
  readonly wayOf: (record: QuarantineDetail) => RetryWay;
}

/**
 * Retries a record. An invalid one changes nothing; a valid one is taken in like others of its source and leaves the
 * quarantine. A system that answers queries itself is asked again, because a stored copy would never be served.
 */
export function recordRetry({ quarantine, intakeOf, dates, unserved, queryAgain }: RetryNeeds): RecordRetry {
  const retry: RetryRecord = async (id, { element, ...decision }) => {
    const record = quarantine.show(id);
    if (record === null) return null;
    const { source, kind, raw, isRawCut, origin } = record;
    if (unserved(kind) !== undefined) {
      const queries = element === undefined ? queryAgain(record) : [];
      if (queries.length > 0) return await queriedAgain(record, queries);
      return { refused: `${source} answers for ${kind} itself, and every answer is checked again: correct it there.` };
    }
    if (element === undefined && isRawCut) {
      return { refused: "The record was too long to be kept whole. Let the external system send it again." };
    }
    const given = element === undefined ? parseJsonKeepingDigits(raw) : element;
    const reading = readElement(kind, given, dates());
    if ("problems" in reading) return reading;
    const taken = await intakeOf(source)({ topic: kind, elements: [given], origin, badRecords: "refuse" });
    if ("notStored" in taken) return { refused: localise(taken.notStored, defaultLanguage) };
    const [bad] = taken.bad;
    if (bad !== undefined) return { problems: bad.problems };
    // The intake releases a record by its number. A record without a number, or whose number was corrected, is still
    // there.
    if (quarantine.show(id) !== null) quarantine.drop(id, decision);
    return { ids: taken.ids };
  };

  const queriedAgain = async (
    { id, count, source }: QuarantineDetail,
    queries: ReturnType<QueryAgain>,
  ): Promise<Retried> => {
    for (const query of queries) {
      await query();
      const now = quarantine.show(id);
      if (now === null) return { ids: [] };
      if (now.count > count) return { problems: now.problems };
    }
    return { refused: `${source} did not return this record. It may be gone there, or the system cannot be reached.` };
  };

  return {
    retry,
    wayOf: (record) => {
      if (unserved(record.kind) !== undefined) return queryAgain(record).length > 0 ? "query" : "none";
      return record.isRawCut ? "none" : "take";
    },
  };
}
