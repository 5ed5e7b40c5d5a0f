import type { Clock } from "../../kit/time/clock.ts";
import type { Timers } from "../../kit/time/timers.ts";
import type { UserCount } from "../../kit/user-count.ts";
import type { Language } from "../../messages/languages.ts";
import { say } from "../../messages/message.ts";
import { Fault } from "../../operation/fault.ts";
import type { AnyOutcome } from "../../operation/outcome.ts";
import type { CallContext } from "../../sdk/connector.ts";

export type AnyOperate = (input: unknown, context: CallContext) => AnyOutcome | Promise<AnyOutcome>;

/** Calls that nobody waits for any more but whose answer is still worth having. */
export interface LateCalls {
  count: number;
}

/** A late answer is waited for so many budgets long, and by so many calls at once; then it is called off. */
const lateBudgets = 3;
const maxLateCalls = 64;

/**
 * One call with a life of its own: those who wait for it may give up at the end of their time, and its answer still
 * becomes last known data.
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
      // Not only the signal: a connector that does not listen to it would keep this question busy for ever.
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

/** How one question to one external system has been going. */
export interface Trouble {
  /** It was not reached, or not in time. */
  readonly missed: () => void;
  /** It answered in time: the island is over. True where it had begun. */
  readonly answered: () => boolean;
  /** Nobody should wait for it any more where something is known. */
  readonly isLasting: () => boolean;
  /** Whether this moment is one to see if it is back; says yes once in a while only. */
  readonly mayProbe: () => boolean;
  /** Since when it has been missing; null while all is well. */
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
      // A clock that was set back must not put the next look off.
      if (now - probedAt < probeEveryMs && now >= probedAt) return false;
      probedAt = now;
      return true;
    },
    since: () => since,
  };
}
