import type { Problem } from "../../contract/validate/validator.ts";
import { parseJsonKeepingDigits } from "../../kit/json/exact-number.ts";
import { defaultLanguage } from "../../messages/languages.ts";
import { localise } from "../../messages/localise.ts";
import type { DateSettings } from "../../operation/dates.ts";
import type { Intake } from "../../sdk/intake.ts";
import { readElement } from "../intake/read-push.ts";
import type { DropDecision, Quarantine } from "./quarantine.ts";

export interface RetryNeeds {
  readonly quarantine: Pick<Quarantine, "show" | "drop">;
  readonly intakeOf: (source: string) => Intake;
  readonly dates: () => DateSettings;
  /** Why a record of this kind would appear in no list; undefined if it would. */
  readonly unserved: (kind: Parameters<typeof readElement>[0]) => string | undefined;
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

/**
 * Retries a record. An invalid one changes nothing; a valid one is taken in like others of its source and leaves the
 * quarantine.
 */
export function recordRetry({ quarantine, intakeOf, dates, unserved }: RetryNeeds): RetryRecord {
  return async (id, { element, ...decision }) => {
    const record = quarantine.show(id);
    if (record === null) return null;
    const { source, kind, raw, isRawCut, origin } = record;
    const notShown = unserved(kind);
    if (notShown !== undefined) {
      // Each answer of such a system is checked again, and a stored copy would never be served.
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
}
