import type { Random } from "../../kit/seeded-random.ts";
import type { Timers } from "../../kit/timers.ts";
import type { Books } from "../books/books.ts";
import type { FaultRates } from "../calls/fault-rates.ts";
import type { Caller } from "../calls/open-caller.ts";
import type { Tally } from "../calls/tally.ts";
import type { Family } from "../changes/family.ts";
import type { FloorItem } from "../orders/generate-items.ts";

/** One operator with all they have at hand. */
export interface Desk extends Caller {
  readonly index: number;
  readonly email: string;
  readonly storage: string;
  /** Decides what the operator does; faults are drawn elsewhere, so that they do not change it. */
  readonly random: Random;
  readonly faultRandom: Random;
  readonly rates: FaultRates;
  readonly books: Books;
  readonly tally: Tally;
  /** Where goods of this item lie. */
  readonly locationOf: (itemNumber: string) => string;
  /** Whether the item's master data came from us, so that the adapter must have it. */
  readonly isOwnItem: (itemNumber: string) => boolean;
  /** What the external system wants of the orders it pushed itself, by the number of the order. */
  readonly families: ReadonlyMap<string, Family>;
  /** Whether orders change on this day beyond what faults do. */
  readonly isChanging: boolean;
  readonly itemList: readonly FloorItem[];
  /** Whether changes can be pushed. */
  readonly canPush: boolean;
  readonly at: DeskPlace;
  /** Walks there and handles goods; takes time on the floor, and real time by the speed. */
  readonly work: (where: string, task: string, handlingMs: number) => Promise<void>;
}

export interface DeskPlace {
  where: string;
  task: string;
  /** Time on the floor since the shift began. */
  floorMs: number;
}

/** Time on the floor: walked and handled by a seeded draw, waited for at the given speed; null does not wait. */
export function floorTime(needs: {
  readonly at: DeskPlace;
  readonly random: Random;
  readonly speed: number | null;
  readonly timers: Timers;
  readonly now: () => number;
}): Desk["work"] {
  const { at, random, speed, timers, now } = needs;
  const beganAt = now();
  return async (where, task, handlingMs) => {
    const walkingMs = where === at.where ? 0 : random.whole(4000, 25_000);
    at.where = where;
    at.task = task;
    at.floorMs += walkingMs + handlingMs;
    if (speed === null) return;
    const waitMs = at.floorMs / speed - (now() - beganAt);
    if (waitMs > 0) await new Promise<void>((resolve) => timers.after(waitMs, resolve));
  };
}
