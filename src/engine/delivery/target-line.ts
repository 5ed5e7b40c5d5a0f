import { circuitBreaker, type Sign } from "../../kit/circuit-breaker.ts";
import type { Log } from "../../kit/log.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { Item } from "./delivery-lane.ts";
import { heap } from "./heap.ts";
import { type DeliveryTarget, isSameTarget, type TargetOverview } from "./outbox.ts";

/** After an outage all that had failed comes back within this time, spread: not at once, and not in an hour. */
export const comeBackWithinMs = 15_000;

export interface TargetLine {
  /** Null where the configuration does not know it any more: its entries wait. */
  readonly target: () => DeliveryTarget | null;
  /** From now on deliveries go there, within its limits; those in flight end where they began. */
  readonly retarget: (target: DeliveryTarget | null) => void;
  /** Takes an entry that comes first in its lanes. */
  readonly offer: (item: Item) => void;
  readonly counted: (change: 1 | -1) => void;
  /** The next entry to start, within all limits; null where none may start now. It counts as started. */
  readonly next: () => Item | null;
  readonly ended: (sign: Sign, retryAfterMs?: number) => void;
  /** What the caller of a delivery outside the outbox has heard. */
  readonly heard: (sign: Sign, retryAfterMs?: number) => void;
  /** How long until something may change by itself; null where nothing will. */
  readonly waitMs: () => number | null;
  /** Reckons all waits again, after the clock was set back. */
  readonly reckonAgain: () => void;
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

/** What stands at one target's door: the oldest that may start goes first. */
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
    // The clock may have been set back since the due time was reckoned.
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

  /** The heaps keep what has moved on since; it is sorted out when it comes to the top. */
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
      // An earlier one of its lanes has come in between; it is offered again when that is done.
      if (item.place === "ready") item.place = "blocked";
      ready.pop();
    }
    return undefined;
  };

  /** Who goes first when an outage may be over: whoever is there, even if its own wait is longer. */
  const probe = (): Item | undefined => {
    let soonest: Item | undefined;
    for (const item of troubled) {
      if (item.place !== "delayed") troubled.delete(item);
      else if (soonest === undefined || item.dueAt < soonest.dueAt) soonest = item;
    }
    if (soonest !== undefined) promote(soonest);
    return firstReady();
  };

  const comeBack = () => {
    const items = [...troubled];
    troubled.clear();
    for (const item of items) {
      if (item.place !== "delayed") continue;
      item.delayMs = Math.min(item.delayMs, Math.round(random() * comeBackWithinMs));
      offer(item);
    }
  };

  const heard = (sign: Sign, retryAfterMs?: number) => {
    const before = breaker.state();
    if (breaker.heard(sign, retryAfterMs)) {
      log.info({ target: name }, "the target answers again; deliveries go on");
      comeBack();
    } else if (before === "closed" && breaker.state() === "open") {
      log.warn({ target: name, waiting: known }, "the target is in trouble; events wait and it is probed");
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
      // What the old one was known for says nothing about the new one.
      breaker = newBreaker();
      comeBack();
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
    ended: (sign, retryAfterMs) => {
      inFlight--;
      heard(sign, retryAfterMs);
    },
    heard,
    waitMs: () => {
      if (isPaused()) return null;
      const waits: number[] = [];
      const now = clock.now();
      const due = firstDelayed();
      if (due !== undefined) waits.push(due.at - now);
      const probeMs = breaker.waitMs();
      if (probeMs !== null && (ready.size() > 0 || troubled.size > 0)) waits.push(Math.max(probeMs, rate.waitMs()));
      // Only the rate can hold back what is ready while the breaker would let it go.
      if (ready.size() > 0 && breaker.mayStart(inFlight)) waits.push(rate.waitMs());
      return waits.length === 0 ? null : Math.max(0, Math.min(...waits));
    },
    reckonAgain: () => {
      for (const one of delayed.drain()) if (!isStale(one)) offer(one.item);
    },
    setPaused: (paused) => {
      isHeld = paused;
    },
    isOpenForCalls: () => !isPaused() && breaker.state() === "closed",
    overview: () => ({
      target: name,
      isPaused: isPaused(),
      breaker: breaker.state(),
      waiting: known - inFlight,
      inFlight,
      concurrency: breaker.limit(),
    }),
  };
}

interface RateLimit {
  /** Takes a permit; false where there is none now. */
  readonly take: () => boolean;
  /** How long until there is one; 0 where there is. */
  readonly waitMs: () => number;
}

/** A token bucket: so many per second, and no more than a second's worth at once. */
export function rateLimit({ clock, perSecond }: { clock: Clock; perSecond: number }): RateLimit {
  const capacity = Math.max(1, perSecond);
  let permits = capacity;
  let countedAt = clock.now();

  const refill = () => {
    const now = clock.now();
    // A clock that was set back gives nothing, and takes nothing away.
    permits = Math.min(capacity, permits + (Math.max(0, now - countedAt) * perSecond) / 1000);
    countedAt = now;
  };
  // Fractions add up to 0.9999…; without the allowance the last permit would cost another round.
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
