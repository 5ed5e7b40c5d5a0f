import type { Random } from "../../src/kit/ids.ts";

/** What a part of the harness prints while it works. */
export type Say = (text: string) => void;

/** How large a run is. */
export interface RunSize {
  readonly orders: number;
  /** How often each side is killed. */
  readonly kills: number;
  /** How many changes the office makes meanwhile. */
  readonly officeChanges: number;
  readonly operators: number;
  /** How much faster than real operators the floor works: slow enough that the system has work while both sides are killed. */
  readonly speed: number;
}

/** Goods of one item, lot and bin that left their bin for one order; amounts in the unit of the external system. */
export interface BookedAmount {
  readonly order: string;
  readonly item: string;
  readonly lot: string | null;
  readonly location: string | null;
  readonly amount: number;
}

/** A real external system, as far as a run needs it. */
export interface RealSystem {
  readonly name: string;
  readonly title: string;
  /** Whether it keeps lots and locations. */
  readonly hasPlaces: boolean;
  readonly sizes: { readonly full: RunSize; readonly short: RunSize };
  /** Installs what is missing; throws with what to do where it may not. */
  readonly install: (say: Say) => Promise<void>;
  /** Starts it with an empty database in this folder. */
  readonly start: (folder: string, say: Say) => Promise<StartedSystem>;
}

export interface StartedSystem {
  /** The adapter's configuration for it: the text of `crossdock.yaml`. */
  readonly config: string;
  /** Environment variables that the configuration names. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly seed: (size: RunSize, random: Random) => Promise<void>;
  /** One change in the office, as a person makes it at a screen; returns what was done. */
  readonly change: (random: Random) => Promise<string>;
  /** What it has booked as taken from the shelves. */
  readonly booked: () => Promise<readonly BookedAmount[]>;
  /** What is wrong with the documents themselves: states that do not fit the bookings. */
  readonly faults: () => Promise<readonly string[]>;
  /** Ends it without warning, and starts it again. */
  readonly kill: () => Promise<void>;
  readonly stop: () => Promise<void>;
}
