import { createHash, hash } from "node:crypto";
import { hashInTurns } from "../../../kit/hash-in-turns.ts";
import { textInTurns } from "../../../kit/json/bytes-in-turns.ts";
import { isWrittenLonger } from "../../../kit/json/write-in-turns.ts";
import { Fault } from "../../../operation/fault.ts";
import type { DeliveryProgress } from "../../../sdk/connector.ts";

/** How far one request of an event came in earlier attempts. */
interface StepState {
  /** The request was about to be sent; whether it arrived is unknown. */
  readonly begun?: true;
  /** The request was answered, was not needed, or had taken effect before. */
  readonly end?: "answered" | "skipped" | "already done";
  readonly answer?: unknown;
  /** Whether the answer was too long to be stored. */
  readonly isLong?: true;
  /** Whether it changed something, so that it must be asked for before it is ever sent again. */
  readonly isBooked?: true;
  /** Which content of the event it was made from; absent in notes of earlier versions. */
  readonly of?: string;
}

type End = NonNullable<StepState["end"]>;

/** Longer answers are not stored: a lookup is sent again instead. */
const longestAnswer = 256 * 1024;

export interface Known {
  readonly answer: unknown;
  readonly isSkipped: boolean;
}

export interface StepProgress {
  /** Returns the stored answer; undefined if the request still has to be sent. */
  readonly known: (key: string, isSafe: boolean) => Known | undefined;
  /** Whether an earlier attempt may have sent the request. */
  readonly mayHaveArrived: (key: string) => boolean;
  /**
   * Called before a request is sent; stores that it was begun. Nothing is written for a request that is surely the
   * first of its entry, because its lease is stored anyway. Nothing is written for a lookup either, unless a booking was answered before
   * it: repeating a lookup changes nothing.
   */
  readonly begin: (key: string, isSafe: boolean) => Promise<void>;
  readonly end: (key: string, end: End, answer: unknown, isSafe: boolean) => void;
  /** Clears all progress except that bookings may have arrived: the next attempt starts with the first request. */
  readonly forget: () => Promise<void>;
  /** Called after a failure: stores what is not stored yet. */
  readonly keep: () => Promise<void>;
}

/**
 * The stored progress of earlier attempts, and what this attempt has to store before it continues. The body is that of
 * the event: when an operator has edited it, what was read, computed or skipped by the old one no longer counts.
 */
export async function stepProgress(progress: DeliveryProgress | undefined, body: string): Promise<StepProgress> {
  // Written by this function, in this attempt or an earlier one.
  const noted = new Map([...(progress?.noted() ?? [])].map(([key, text]) => [key, JSON.parse(text) as StepState]));
  const unsaved = new Map<string, StepState>();
  const isResumed = noted.size > 0;
  let hasSent = false;
  let hasBooked = false;
  const content = await digestOf(body);
  const isOutdated = ({ of }: StepState) => of !== undefined && of !== content;

  const save = async (begun?: string) => {
    const states = [...unsaved, ...(begun === undefined ? [] : [[begun, { begun: true }] as const])];
    unsaved.clear();
    hasBooked = false;
    await progress?.note(states.map(([key, state]) => ({ key, value: JSON.stringify(state) })));
    for (const [key, state] of states) noted.set(key, state);
  };

  return {
    known: (key, isSafe) => {
      const state = noted.get(key);
      if (state?.end === undefined) return undefined;
      if ((isSafe || state.end === "skipped") && isOutdated(state)) return undefined;
      if (state.isLong !== true) return { answer: state.answer ?? null, isSkipped: state.end === "skipped" };
      if (isSafe) return undefined;
      throw new Fault("rejected", "its answer was too long to be kept, and it must not be sent twice");
    },
    mayHaveArrived: (key) =>
      noted.get(key)?.begun === true || (!isResumed && !hasSent && progress?.wasTried() === true),
    begin: async (key, isSafe) => {
      // A step that was skipped or has computed before decides what the first request is, so it has to be noted.
      const isFirst = !hasSent && !isResumed && unsaved.size === 0;
      hasSent = true;
      if (isFirst || (isSafe && !hasBooked)) return;
      if (noted.get(key)?.begun !== true || hasBooked) await save(key);
    },
    end: (key, end, answer, isSafe) => {
      const isLong = answer !== undefined && isWrittenLonger(answer, longestAnswer);
      const isBooked = !isSafe && end !== "skipped";
      const kept = isLong ? { isLong } : answer === undefined ? {} : { answer };
      unsaved.set(key, { end, of: content, ...(isBooked ? { isBooked } : {}), ...kept });
      if (isBooked) hasBooked = true;
    },
    forget: async () => {
      const states = new Map([...noted, ...unsaved]);
      noted.clear();
      unsaved.clear();
      const left = ({ isBooked }: StepState): StepState => (isBooked === true ? { begun: true } : {});
      const marks = [...states].map(([key, state]) => ({ key, value: JSON.stringify(left(state)) }));
      if (marks.length > 0) await progress?.note(marks);
    },
    keep: async () => {
      if (unsaved.size > 0) await save();
    },
  };
}

const shortBody = 64 * 1024;

/** Other requests run while a long body is encoded and hashed: eight megabytes at once take fifty milliseconds. */
async function digestOf(body: string): Promise<string> {
  if (body.length <= shortBody) return hash("sha1", body, "base64url");
  const digest = createHash("sha1");
  await hashInTurns([digest], await textInTurns(body));
  return digest.digest("base64url");
}
