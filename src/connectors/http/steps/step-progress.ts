import { Fault } from "../../../operation/fault.ts";
import type { DeliveryProgress } from "../../../sdk/connector.ts";

/** How far one request of an event came in earlier attempts. */
interface StepState {
  /** It was about to be sent; whether it arrived is unknown. */
  readonly begun?: true;
  /** It was answered, was not needed, or had taken effect before. */
  readonly end?: "answered" | "skipped" | "already done";
  readonly answer?: unknown;
  /** The answer was too long to be kept. */
  readonly isLong?: true;
}

type End = NonNullable<StepState["end"]>;

/** Longer answers are not kept: a lookup is sent again instead. */
const longestAnswer = 256 * 1024;

export interface Known {
  readonly answer: unknown;
  readonly isSkipped: boolean;
}

export interface StepProgress {
  /** The answer that is known already; undefined if the request still has to be sent. */
  readonly known: (key: string, isSafe: boolean) => Known | undefined;
  /** Whether an earlier attempt may have sent it. */
  readonly mayHaveArrived: (key: string) => boolean;
  /**
   * Call it before the request is sent. The first request of an entry costs nothing, because its lease is stored anyway;
   * a lookup costs nothing unless a booking was answered before it: sent again, it changes nothing.
   */
  readonly begin: (key: string, isSafe: boolean) => Promise<void>;
  readonly end: (key: string, end: End, answer: unknown, isSafe: boolean) => void;
  /** Stores what is not stored yet, after a failure. */
  /** Nothing counts as done any more: the next attempt begins with the first request. */
  readonly forget: () => Promise<void>;
  readonly keep: () => Promise<void>;
}

/** What earlier attempts noted, and what this one has to note before it goes on. */
export function stepProgress(progress: DeliveryProgress | undefined): StepProgress {
  // Written below, by this attempt or an earlier one.
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
