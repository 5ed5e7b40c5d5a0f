import type { Clock } from "../../kit/time/clock.ts";
import type { Timers } from "../../kit/time/timers.ts";
import { say } from "../../messages/message.ts";
import { Fault } from "../../operation/fault.ts";
import { type PushHandler, type PushInParts, pushThreadBytes } from "../../server/inbound/inbound-reading.ts";
import type { PushThread } from "./push-thread.ts";
import type { PushStep } from "./read-in-parts.ts";

/** Waiting bodies take memory, so further large ones are refused. */
const maxWaiting = 8;
/** A short list of cancellations takes little memory. It waits for its turn, but not for longer than its time budget. */
const maxShortWaiting = 1_000;
/**
 * An idle thread is stopped after this time to release its memory. After a long push, which leaves much garbage, it is
 * stopped sooner.
 */
const idleMs = 30_000;
const idleAfterLongMs = 1_000;
const busy = { operatorText: say("general.busy") };

/** Reads pushes one at a time: each takes memory while it is read, and the journal stores them one at a time anyway. */
export function openPushHandler(needs: {
  readonly thread: PushThread;
  readonly clock: Clock;
  readonly timers: Timers;
  /** How long a short push waits for its turn. */
  readonly waitMs: number;
}): PushHandler & {
  /** Resolves when every accepted push is read. A new handler gets the next ones. */
  readonly retire: () => Promise<void>;
} {
  const { thread, clock, timers, waitMs } = needs;
  /** Pushes that wait or are being read. */
  const waiting = { large: 0, short: 0 };
  /** Settles when the previous push has been read completely. */
  let before = Promise.resolve();
  let callOffStop = () => {};

  const admit = async (bytes: number): Promise<(stopAfterMs: number) => void> => {
    const size = bytes > pushThreadBytes ? "large" : "short";
    if (waiting[size] >= (size === "large" ? maxWaiting : maxShortWaiting))
      throw new Fault("unreachable", "too many large pushes at once", busy);
    waiting[size]++;
    callOffStop();
    const { promise, resolve } = Promise.withResolvers<void>();
    const turn = before;
    before = before.then(() => promise);
    const release = (stopAfterMs: number) => {
      resolve();
      waiting[size]--;
      if (waiting.large + waiting.short === 0) callOffStop = timers.after(stopAfterMs, () => void thread.stop());
    };
    if (size === "large") await turn;
    else await turnWithin(turn, () => release(idleMs));
    return release;
  };

  /** A push that has waited for too long leaves its place to the next one. */
  const turnWithin = (turn: Promise<void>, leave: () => void): Promise<void> =>
    new Promise((resolve, reject) => {
      const stopWaiting = timers.after(waitMs, () => {
        leave();
        reject(new Fault("unreachable", "too many pushes at once", busy));
      });
      void turn.then(() => {
        stopWaiting();
        resolve();
      });
    });

  const inParts = (first: PushStep, release: () => void): PushInParts => {
    let step: Promise<PushStep> = Promise.resolve(first);
    let isLeft = false;
    const leave = (isOver: boolean) => {
      if (isLeft) return;
      isLeft = true;
      // The caller has abandoned the rest, so the thread is stopped and the next push gets a new one.
      if (isOver) release();
      else void thread.stop().finally(release);
    };
    async function* parts() {
      for (;;) {
        const now = await step;
        if (!("part" in now)) return leave(true);
        // The next part is read while this one is stored.
        step = thread.step("next");
        // The next round awaits this step and gets its error. Without a handler until then, the error would end the
        // process.
        step.catch(() => {});
        yield now.part;
      }
    }
    const end = async () => {
      const last = await step;
      if (!("end" in last)) throw new Error("the push was not read to its end");
      return last.end;
    };
    return { parts: parts(), end, drop: () => leave(false) };
  };

  return {
    read: async (push) => {
      const receivedAt = clock.now();
      const release = await admit(push.body.length);
      let isGoingOn = false;
      try {
        const first = await thread.step({ ...push, receivedAt });
        if ("whole" in first) return first.whole;
        isGoingOn = true;
        return inParts(first, () => release(idleAfterLongMs));
      } finally {
        if (!isGoingOn) release(idleMs);
      }
    },
    close: thread.stop,
    retire: async () => {
      await before;
      callOffStop();
      await thread.stop();
    },
  };
}
