import { type CallResult, circuitBreaker } from "../../kit/circuit-breaker.ts";
import type { Log } from "../../kit/log.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { heap } from "./heap.ts";
import { type DeliveryTarget, isSameTarget, type TargetOverview } from "./outbox.ts";
import type { Item } from "./window.ts";

/**
 * After an outage all failed entries are retried within this time, spread out: neither all at once nor after an hour.
 */
export const retryWithinMs = 15_000;

export interface TargetLine {
  /** The target; null if it is no longer configured, and then its entries wait. */
  readonly target: () => DeliveryTarget | null;
  /** Sets the target for new deliveries, with its limits; deliveries in flight finish with their old target. */
  readonly retarget: (target: DeliveryTarget | null) => void;
  /** Takes an entry that is first in its lanes. */
  readonly offer: (item: Item) => void;
  readonly counted: (change: 1 | -1) => void;
  /** The next entry to start within all limits, counted as started; null if none may start now. */
  readonly next: () => Item | null;
  readonly ended: (result: CallResult, retryAfterMs?: number) => void;
  /** Called with the result of a delivery that a caller outside the outbox made. */
  readonly record: (result: CallResult, retryAfterMs?: number) => void;
  /** How long until something may change by itself; null if nothing will. */
  readonly waitMs: () => number | null;
  /** Computes all waits again, after the clock was set back. */
  readonly recomputeWaits: () => void;
  readonly setPaused: (isPaused: boolean) => void;
  readonly isOpenForCalls: () => boolean;
  readonly overview: () => TargetOverview;
}

export interface TargetLineNeeds {
  readonly name: string;
  readonly target: DeliveryTarget | null;
  readonly clock: Clock;
  readonly random: () => number;
  readonly concurrency: number;
  readonly log: Log;
  readonly isFree: (item: Item) => boolean;
}

/** Keeps the entries that wait for one target; of those that may start, the oldest starts first. */
export function targetLine(needs: TargetLineNeeds): TargetLine {
  const { name, clock, random, isFree, log } = needs;
  let target = needs.target;
  let breaker = newBreaker();
  let rate = newRate();
  const ready = heap<Item>((item) => item.turn);
  const delayed = heap<{ at: number; item: Item }>(({ at }) => at);
  const troubled = new Set<Item>();
  let isHeld = false;
  let inFlight = 0;
  let known = 0;

  const isPaused = () => isHeld || target === null;

  const offer = (item: Item) => {
    const now = clock.now();
    // The clock may have been set back since the due time was computed.
    item.dueAt = Math.min(item.dueAt, now + item.delayMs);
    if (item.dueAt <= now) {
      item.place = "ready";
      ready.push(item);
    } else {
      item.place = "delayed";
      delayed.push({ at: item.dueAt, item });
      if (item.isTroubled) troubled.add(item);
    }
  };

  /** The heaps may hold entries that have moved on; they are skipped at the top. */
  const isStale = ({ at, item }: { at: number; item: Item }) => item.place !== "delayed" || item.dueAt !== at;

  const firstDelayed = () => {
    let first = delayed.peek();
    while (first !== undefined && isStale(first)) {
      delayed.pop();
      first = delayed.peek();
    }
    return first;
  };

  const promoteDue = () => {
    const now = clock.now();
    for (let first = firstDelayed(); first !== undefined && first.at <= now; first = firstDelayed()) {
      delayed.pop();
      promote(first.item);
    }
  };

  const promote = (item: Item) => {
    troubled.delete(item);
    item.place = "ready";
    ready.push(item);
  };

  const firstReady = (): Item | undefined => {
    for (let item = ready.peek(); item !== undefined; item = ready.peek()) {
      if (item.place === "ready" && isFree(item)) return item;
      // An earlier entry of its lanes was added. This one is offered again when the earlier one is finished.
      if (item.place === "ready") item.place = "blocked";
      ready.pop();
    }
    return undefined;
  };

  /** The probe after an outage: any entry will do, even if its own wait is longer. */
  const probe = (): Item | undefined => {
    let soonest: Item | undefined;
    for (const item of troubled) {
      if (item.place !== "delayed") troubled.delete(item);
      else if (soonest === undefined || item.dueAt < soonest.dueAt) soonest = item;
    }
    if (soonest !== undefined) promote(soonest);
    return firstReady();
  };

  const spreadRetries = () => {
    const items = [...troubled];
    troubled.clear();
    for (const item of items) {
      if (item.place !== "delayed") continue;
      item.delayMs = Math.min(item.delayMs, Math.round(random() * retryWithinMs));
      offer(item);
    }
  };

  const record = (result: CallResult, retryAfterMs?: number) => {
    const before = breaker.state();
    if (breaker.record(result, retryAfterMs)) {
      log.info({ target: name }, "the target answers again; deliveries continue");
      spreadRetries();
    } else if (before === "closed" && breaker.state() === "open") {
      log.warn({ target: name, waiting: known }, "the target is down; events wait while it is probed");
    }
  };

  function newBreaker() {
    return circuitBreaker({ clock, concurrency: target?.concurrency ?? needs.concurrency });
  }

  function newRate() {
    const perSecond = target?.ratePerSecond;
    return perSecond === undefined ? noRateLimit : rateLimit({ clock, perSecond });
  }

  return {
    target: () => target,
    retarget: (next) => {
      const before = target;
      target = next;
      if (before !== null && next !== null && isSameTarget(before, next)) return;
      if (next?.ratePerSecond !== before?.ratePerSecond) rate = newRate();
      // The old target's state says nothing about the new one.
      breaker = newBreaker();
      spreadRetries();
    },
    offer,
    counted: (change) => {
      known += change;
    },
    next: () => {
      promoteDue();
      if (isPaused() || !breaker.mayStart(inFlight)) return null;
      const item = firstReady() ?? (breaker.state() === "open" ? probe() : undefined);
      if (item === undefined || !rate.take()) return null;
      ready.pop();
      troubled.delete(item);
      breaker.started();
      inFlight++;
      return item;
    },
    ended: (result, retryAfterMs) => {
      inFlight--;
      record(result, retryAfterMs);
    },
    record,
    waitMs: () => {
      if (isPaused()) return null;
      const waits: number[] = [];
      const now = clock.now();
      const due = firstDelayed();
      if (due !== undefined) waits.push(due.at - now);
      const probeMs = breaker.waitMs();
      if (probeMs !== null && (ready.size() > 0 || troubled.size > 0)) waits.push(Math.max(probeMs, rate.waitMs()));
      // Only the rate limit can hold back ready entries while the breaker is closed.
      if (ready.size() > 0 && breaker.mayStart(inFlight)) waits.push(rate.waitMs());
      return waits.length === 0 ? null : Math.max(0, Math.min(...waits));
    },
    recomputeWaits: () => {
      for (const one of delayed.drain()) if (!isStale(one)) offer(one.item);
    },
    setPaused: (paused) => {
      isHeld = paused;
    },
    isOpenForCalls: () => !isPaused() && breaker.state() === "closed",
    overview: () => ({
      target: name,
      isPaused: isPaused(),
      isRemoved: target === null,
      breaker: breaker.state(),
      waiting: known - inFlight,
      inFlight,
      concurrency: breaker.limit(),
    }),
  };
}

interface RateLimit {
  /** Takes a permit; false if none is available. */
  readonly take: () => boolean;
  /** How long until a permit is available; 0 if one is. */
  readonly waitMs: () => number;
}

/** A token bucket: `perSecond` permits per second, with a burst of one second's worth. */
export function rateLimit({ clock, perSecond }: { clock: Clock; perSecond: number }): RateLimit {
  const capacity = Math.max(1, perSecond);
  let permits = capacity;
  let countedAt = clock.now();

  const refill = () => {
    const now = clock.now();
    // Setting the clock back neither adds nor removes permits.
    permits = Math.min(capacity, permits + (Math.max(0, now - countedAt) * perSecond) / 1000);
    countedAt = now;
  };
  // Fractions may add up to 0.9999…; without the tolerance the last permit would wait for another round.
  const isThere = () => permits >= 1 - 1e-6;

  return {
    take: () => {
      refill();
      if (!isThere()) return false;
      permits = Math.max(0, permits - 1);
      return true;
    },
    waitMs: () => {
      refill();
      return isThere() ? 0 : Math.ceil(((1 - permits) / perSecond) * 1000);
    },
  };
}

const noRateLimit: RateLimit = { take: () => true, waitMs: () => 0 };
