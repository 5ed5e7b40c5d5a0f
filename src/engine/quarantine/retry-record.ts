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
  /** Why no list would show a record of this kind; undefined if one does. */
  readonly unserved: (kind: Parameters<typeof readElement>[0]) => string | undefined;
}

export type Retried =
  | { readonly ids: readonly string[] }
  | { readonly problems: readonly Problem[] }
  | { readonly refused: string };

/** Takes a record in again. With `element`, that one in place of what was kept. */
export type RetryRecord = (
  id: number,
  request: DropDecision & { readonly element?: unknown },
) => Promise<Retried | null>;

/** A record that is still not valid changes nothing; a valid one goes the way of its source and leaves the quarantine. */
export function recordRetry({ quarantine, intakeOf, dates, unserved }: RetryNeeds): RetryRecord {
  return async (id, { element, ...decision }) => {
    const record = quarantine.show(id);
    if (record === null) return null;
    const { source, kind, raw, isRawCut, origin } = record;
    const notShown = unserved(kind);
    if (notShown !== undefined) {
      // What such a system answers is checked anew with every answer; a stored copy would never be seen.
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
    // The intake releases a record by its number; one without a number, or with another one now, is still there.
    if (quarantine.show(id) !== null) quarantine.drop(id, decision);
    return { ids: taken.ids };
  };
}
