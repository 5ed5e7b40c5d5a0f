import type { UserCount } from "../../kit/current-snapshot.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { Timers } from "../../kit/time/timers.ts";
import type { Language } from "../../messages/languages.ts";
import { say } from "../../messages/message.ts";
import { Fault } from "../../operation/fault.ts";
import type { AnyOutcome } from "../../operation/outcome.ts";
import type { CallContext } from "../../sdk/connector.ts";

export type AnyOperate = (input: unknown, context: CallContext) => AnyOutcome | Promise<AnyOutcome>;

/** Calls that nobody waits for any more but whose answer is still useful. */
export interface LateCalls {
  count: number;
}

/** A late answer is awaited for this many time budgets, and by this many calls at once; then the call is aborted. */
const lateBudgets = 3;
const maxLateCalls = 64;

/**
 * Makes one call that may outlive its callers: a caller gives up at the end of its time, and a later answer still
 * becomes fallback data.
 */
export function liveCall({
  operate,
  input,
  language,
  budgetMs,
  timers,
  late,
  users,
}: {
  operate: AnyOperate;
  input: unknown;
  language: Language;
  budgetMs: number;
  timers: Timers;
  late: LateCalls;
  users?: UserCount | undefined;
}): Promise<AnyOutcome> {
  const abort = new AbortController();
  return new Promise((resolve, reject) => {
    let isLate = false;
    const giveUp = () => {
      const text = `no answer within ${isLate ? lateBudgets * budgetMs : budgetMs} ms`;
      end();
      // Rejects as well as aborts: a connector that ignores the signal would keep this query busy for ever.
      reject(new Fault("unreachable", text, { operatorText: say("general.unreachable") }));
      abort.abort();
    };
    let callOff = timers.after(budgetMs, () => {
      if (late.count >= maxLateCalls) return giveUp();
      isLate = true;
      late.count++;
      callOff = timers.after((lateBudgets - 1) * budgetMs, giveUp);
    });
    const end = () => {
      callOff();
      if (isLate) late.count--;
      isLate = false;
    };
    const fail = (error: unknown) => {
      end();
      reject(error);
    };
    try {
      const answer = operate(input, { language, signal: abort.signal });
      if (answer instanceof Promise) users?.during(answer);
      Promise.resolve(answer).then((outcome) => {
        end();
        resolve(outcome);
      }, fail);
    } catch (error) {
      fail(error);
    }
  });
}

/** The recent history of one query to one external system. */
export interface Trouble {
  /** Called when the system was not reached, or not in time. */
  readonly missed: () => void;
  /** Called when the system answered in time, which ends an outage. Returns whether there was an outage. */
  readonly answered: () => boolean;
  /** Whether callers should not wait for the system if fallback data exists. */
  readonly isLasting: () => boolean;
  /** Whether to probe the system now; true only once in a while. */
  readonly mayProbe: () => boolean;
  /** When the outage began; null if there is none. */
  readonly since: () => number | null;
}

const lastingAfter = 3;
const probeEveryMs = 2_000;

export function trouble(clock: Clock): Trouble {
  let inARow = 0;
  let since: number | null = null;
  let probedAt = Number.NEGATIVE_INFINITY;
  return {
    missed: () => {
      inARow++;
      since ??= clock.now();
    },
    answered: () => {
      const wasMissing = since !== null;
      inARow = 0;
      since = null;
      probedAt = Number.NEGATIVE_INFINITY;
      return wasMissing;
    },
    isLasting: () => inARow >= lastingAfter,
    mayProbe: () => {
      const now = clock.now();
      // Setting the clock back must not delay the next probe.
      if (now - probedAt < probeEveryMs && now >= probedAt) return false;
      probedAt = now;
      return true;
    },
    since: () => since,
  };
}
