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
   * Called before a request is sent; stores that it was begun. Nothing is written for the first request of an entry,
   * because its lease is stored anyway. Nothing is written for a lookup either, unless a booking was answered before
   * it: repeating a lookup changes nothing.
   */
  readonly begin: (key: string, isSafe: boolean) => Promise<void>;
  readonly end: (key: string, end: End, answer: unknown, isSafe: boolean) => void;
  /** Clears all progress: the next attempt starts with the first request. */
  readonly forget: () => Promise<void>;
  /** Called after a failure: stores what is not stored yet. */
  readonly keep: () => Promise<void>;
}

/** The stored progress of earlier attempts, and what this attempt has to store before it continues. */
export function stepProgress(progress: DeliveryProgress | undefined): StepProgress {
  // Written by this function, in this attempt or an earlier one.
  const noted = new Map([...(progress?.noted() ?? [])].map(([key, text]) => [key, JSON.parse(text) as StepState]));
  const unsaved = new Map<string, StepState>();
  const isResumed = noted.size > 0;
  let hasSent = false;
  let hasBooked = false;

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
      if (state.isLong !== true) return { answer: state.answer ?? null, isSkipped: state.end === "skipped" };
      if (isSafe) return undefined;
      throw new Fault("rejected", "its answer was too long to be kept, and it must not be sent twice");
    },
    mayHaveArrived: (key) =>
      noted.get(key)?.begun === true || (!isResumed && !hasSent && progress?.wasTried() === true),
    begin: async (key, isSafe) => {
      const isFirst = !hasSent && !isResumed;
      hasSent = true;
      if (isFirst || (isSafe && !hasBooked)) return;
      if (noted.get(key)?.begun !== true || hasBooked) await save(key);
    },
    end: (key, end, answer, isSafe) => {
      const isLong = answer !== undefined && JSON.stringify(answer).length > longestAnswer;
      unsaved.set(key, { end, ...(isLong ? { isLong } : answer === undefined ? {} : { answer }) });
      if (!isSafe && end !== "skipped") hasBooked = true;
    },
    forget: async () => {
      const keys = new Set([...noted.keys(), ...unsaved.keys()]);
      noted.clear();
      unsaved.clear();
      if (keys.size > 0) await progress?.note([...keys].map((key) => ({ key, value: "{}" })));
    },
    keep: async () => {
      if (unsaved.size > 0) await save();
    },
  };
}
