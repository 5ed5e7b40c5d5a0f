import type { OpenEntry } from "../../journal/entry.ts";
import { mostReleased } from "../../journal/journal.ts";
import { deliverer } from "./deliver.ts";
import { createFeed, type Feed } from "./feed.ts";
import { GivenBack } from "./judge-attempt.ts";
import { defaultOutboxSettings, type Outbox, type OutboxNeeds } from "./outbox.ts";
import { createReservations } from "./reservations.ts";
import { type TargetLine, targetLine } from "./target-line.ts";
import { createWindow, type Item } from "./window.ts";

/** Due times are checked at least this often, whatever the clock has done. */
const longestSleepMs = 30_000;
/** After this many idle intervals the outbox reads the journal again, in case it missed an entry. */
const sleepsPerCheck = 10;
/** A stop waits no longer than this for leases to be returned. */
const giveBackMs = 1_000;

export function createOutbox(needs: OutboxNeeds): Outbox {
  const { journal, clock, timers, random, log } = needs;
  let targets = needs.targets;
  const settings = { ...defaultOutboxSettings, ...needs.settings };
  const { concurrency, horizonMs } = settings;
  const lines = new Map<string, TargetLine>();
  const feeds = new Map<string, Feed>();
  const running = new Map<Promise<void>, AbortController>();
  const window = createWindow({
    onFree: (item) => lineOf(item.open.target).offer(item),
    onGone: (item) => lineOf(item.open.target).counted(-1),
  });
  let acting = 0;
  let isStopping = false;
  let isOver = false;
  let isAbandoned = false;
  let isPumpDue = false;
  let sleep: { readonly cancel: () => void; readonly endsAt: number } | null = null;
  let sleeps = 0;
  let lastNow = clock.now();

  const warnOfMissing = (target: string) =>
    log.warn({ target }, "entries are waiting for a target that is not configured");

  function lineOf(name: string): TargetLine {
    let line = lines.get(name);
    if (line === undefined) {
      const target = targets.get(name) ?? null;
      if (target === null) warnOfMissing(name);
      line = targetLine({ name, target, clock, random, concurrency, log, isFree: window.isFree });
      lines.set(name, line);
    }
    feedOf(name);
    return line;
  }

  function feedOf(name: string): Feed {
    let feed = feeds.get(name);
    if (feed === undefined) {
      // `lines.get` creates no line: a feed also exists for a target that is not configured.
      const isHeld = () => lines.get(name)?.isOpenForCalls() === false;
      const limit = () => (isHeld() ? Math.min(settings.window, settings.heldWindow) : settings.window);
      feed = createFeed({ target: name, read: journal.read, window, clock, lineOf, limit });
      feeds.set(name, feed);
      pumpSoon();
    }
    return feed;
  }

  const startOver = () => {
    for (const feed of feeds.values()) feed.startOver();
    window.forgetWaiting();
  };

  const checkForOverlooked = () => {
    for (const [name, feed] of feeds) if (window.size(name) === 0) feed.startOver();
  };

  const add = (entries: readonly OpenEntry[]) => {
    if (isStopping) return;
    for (const open of entries) feedOf(open.target).add(open);
    pumpSoon();
  };

  const mayDeliver = () => !isAbandoned && needs.mayDeliver?.() !== false;

  const pumpSoon = () => {
    if (isPumpDue || isStopping) return;
    isPumpDue = true;
    // Delayed, because all entries of a commit must be known before the first of them starts.
    timers.soon(pump);
  };

  const pump = () => {
    isPumpDue = false;
    // Nothing starts while an operator's decision is being stored: the entries that it releases may belong before those
    // here.
    if (isStopping || acting > 0) return;
    const now = clock.now();
    if (now < lastNow) for (const line of lines.values()) line.recomputeWaits();
    lastNow = now;
    refill();
    for (const line of lines.values()) {
      for (let item = line.next(); item !== null; item = line.next()) launch(item, line);
    }
    rest();
  };

  const refill = () => {
    try {
      for (const feed of feeds.values()) if (feed.refill()) pumpSoon();
    } catch (error) {
      log.error({ err: error }, "the journal could not be read; trying again");
    }
  };

  const rest = () => {
    const now = clock.now();
    const waits = [...lines.values()].map((line) => line.waitMs() ?? longestSleepMs);
    const waitMs = Math.min(longestSleepMs, ...waits);
    // The timer is replaced only by an earlier one. Otherwise the busy path would create a timer per entry.
    if (sleep !== null && sleep.endsAt > now && sleep.endsAt <= now + waitMs) return;
    sleep?.cancel();
    sleep = { endsAt: now + waitMs, cancel: timers.after(waitMs, wake) };
  };

  const wake = () => {
    sleep = null;
    if (++sleeps % sleepsPerCheck === 0) checkForOverlooked();
    pump();
  };

  const deliver = deliverer({
    ...needs,
    horizonMs,
    isOver: () => isOver,
    mayDeliver,
    onCallEnded: pumpSoon,
    window,
    add,
    putBack: (open) => {
      if (!isStopping && window.find(open.seq) === undefined) feedOf(open.target).put(open);
    },
  });

  const reservations = createReservations({
    ...{ window, mayDeliver },
    onContinued: (open) => add([open]),
    onReleased: (target, result, calledMs) => {
      lineOf(target).record(result);
      if (result !== "nothing") needs.onAttempt?.(target, result === "answer" ? "answered" : "unanswered", calledMs);
      pumpSoon();
    },
  });

  const launch = (item: Item, line: TargetLine) => {
    const abort = new AbortController();
    window.hold(item);
    const work = deliver(item, line, abort)
      .catch((error: unknown) =>
        log.error({ err: error, seq: item.open.seq }, "a delivery failed with an unexpected error"),
      )
      .finally(() => {
        running.delete(work);
        pumpSoon();
      });
    running.set(work, abort);
  };

  const waitForRunning = async (ms: number) => {
    if (running.size === 0) return;
    let cancel = () => {};
    const patience = new Promise<void>((resolve) => {
      cancel = timers.after(ms, resolve);
    });
    await Promise.race([Promise.allSettled(running.keys()), patience]);
    cancel();
  };

  const giveBackRunning = () => {
    isOver = true;
    for (const abort of running.values()) abort.abort(new GivenBack());
  };

  for (const name of targets.keys()) lineOf(name);
  // The journal is read even if no target is left, so that entries waiting for one stay visible.
  if (targets.size === 0) feedOf("");
  pumpSoon();

  return {
    add,
    replace: (seqs, open) => {
      if (isStopping) return;
      const feed = feedOf(open.target);
      let turn = open.seq;
      for (const seq of seqs) {
        const item = window.find(seq);
        if (item === undefined) turn = Math.min(turn, feed.forgetOutside(seq));
        else if (item.place !== "busy") {
          turn = Math.min(turn, item.turn);
          window.forget(item);
        }
      }
      feed.add(open, turn);
      pumpSoon();
    },
    announce: (lanes, target) => {
      const known = window.announce(lanes, target);
      return (stored) => {
        add(stored);
        known();
      };
    },
    reserve: (lanes, target) => {
      // While some entries are only in the journal, memory cannot say whether a lane is free.
      if (!feedOf(target).isComplete() || isStopping || acting > 0) return null;
      if (!lineOf(target).isOpenForCalls()) return null;
      if (lanes.some((lane) => window.isBusy(lane, target) || journal.read.heldBy(lane) !== null)) return null;
      return reservations.add(lanes, target);
    },
    act: async (seq, action, operator, at) => {
      acting++;
      try {
        const released = await journal.act(seq, action, operator, at);
        if (released === null) return null;
        const known = window.find(seq);
        const isOpen = released.some((open) => open.seq === seq);
        if (known !== undefined && known.place !== "busy" && !isOpen) window.forget(known);
        // There are more entries than fit, or perhaps more than were reported: read them from the journal.
        const isTooMany = released.some(({ target }) => window.size(target) + released.length > settings.window);
        if (released.length >= mostReleased || isTooMany) startOver();
        else add(released);
        return released;
      } finally {
        acting--;
        pumpSoon();
      }
    },
    pause: (target) => lineOf(target).setPaused(true),
    resume: (target) => {
      lineOf(target).setPaused(false);
      pumpSoon();
    },
    retarget: (next) => {
      targets = next;
      for (const [name, line] of lines) {
        const target = next.get(name) ?? null;
        if (line.target() === target) continue;
        line.retarget(target);
        if (target === null && line.overview().waiting + feedOf(name).outside() > 0) warnOfMissing(name);
      }
      for (const name of next.keys()) lineOf(name);
      pumpSoon();
    },
    overview: () => {
      const oldest = window.oldest();
      return [...lines].map(([name, line]) => {
        const overview = line.overview();
        const waiting = overview.waiting + feedOf(name).outside();
        return { ...overview, waiting, oldestAt: oldest.get(name) ?? null };
      });
    },
    stop: async (withinMs) => {
      isStopping = true;
      sleep?.cancel();
      if (!isAbandoned) await waitForRunning(withinMs);
      giveBackRunning();
      await waitForRunning(giveBackMs);
    },
    abandon: () => {
      isStopping = true;
      isAbandoned = true;
      giveBackRunning();
      reservations.abandon();
    },
  };
}
