import { isIPv6 } from "node:net";
import type { Clock } from "../../kit/time/clock.ts";

export interface FailureDelays {
  /** Notes a failure. How long to wait, in seconds; 0 for the first few, which are simply refused. */
  readonly failed: (place: Place) => number;
  /** How long this place has to wait still; 0 where it may try. */
  readonly waitSeconds: (place: Place) => number;
}

export interface Place {
  readonly address: string;
  /** Who it claimed to be, where that was said. */
  readonly claimed?: string;
}

interface Trouble {
  failures: number;
  untilMs: number;
  lastMs: number;
}

const freeFailures = 5;
const longestSeconds = 300;
const quietMs = 15 * 60_000;

/**
 * Growing delays for whoever shows wrong credentials, by address and claim: nobody is delayed by what others do
 * elsewhere. Bounded: of too many places the one that was quiet the longest is forgotten.
 */
export function failureDelays({ clock, maxPlaces = 20_000 }: { clock: Clock; maxPlaces?: number }): FailureDelays {
  const places = new Map<string, Trouble>();

  const waitMs = (record: Trouble | undefined) =>
    record === undefined ? 0 : Math.max(0, record.untilMs - clock.now());
  const failed = (place: Place): number => {
    const key = keyOf(place);
    const now = clock.now();
    const known = places.get(key);
    const record =
      known === undefined || now - known.lastMs > quietMs ? { failures: 0, untilMs: 0, lastMs: now } : known;
    record.lastMs = now;
    // The order of the map is the order of the last failures.
    places.delete(key);
    places.set(key, record);
    if (places.size > maxPlaces) places.delete(places.keys().next().value ?? "");
    const still = waitMs(record);
    if (still > 0) return Math.ceil(still / 1000);
    record.failures++;
    if (record.failures <= freeFailures) return 0;
    const seconds = Math.min(longestSeconds, 2 ** (record.failures - freeFailures - 1));
    record.untilMs = now + seconds * 1000;
    return seconds;
  };
  return { failed, waitSeconds: (place) => Math.ceil(waitMs(places.get(keyOf(place))) / 1000) };
}

/** Whoever has one address of an IPv6 network has 2^64 of them. */
const keyOf = ({ address, claimed = "" }: Place): string =>
  `${isIPv6(address) ? network64(address) : address} ${claimed}`;

function network64(address: string): string {
  const [head = "", tail] = address.split("::");
  const groups = head.split(":");
  if (tail === undefined) return groups.slice(0, 4).join(":");
  const after = tail.split(":");
  const zeros = Math.max(0, 8 - groups.length - after.length);
  return [...groups, ...Array<string>(zeros).fill("0"), ...after].slice(0, 4).join(":");
}
