import { isIPv6 } from "node:net";
import type { Clock } from "../../kit/time/clock.ts";

export interface FailureDelays {
  /** Counts a failure. Returns the wait in seconds; 0 for the first few failures, which are only refused. */
  readonly failed: (place: Place) => number;
  /** Returns the remaining wait; 0 if the caller may try. */
  readonly waitSeconds: (place: Place) => number;
}

export interface Place {
  readonly address: string;
  /** The name that the caller claimed, if any. */
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
 * Delays that grow after wrong credentials, by address and claimed name, so that failures elsewhere delay nobody else.
 * Bounded: above the limit, the place whose last failure is the oldest is dropped.
 */
export function failureDelays({ clock, maxPlaces = 20_000 }: { clock: Clock; maxPlaces?: number }): FailureDelays {
  const places = new Map<string, Trouble>();

  const waitMs = (record: Trouble | undefined) => {
    if (record === undefined) return 0;
    const now = clock.now();
    // The clock was set back. Without this, the caller would wait until the old time is reached again.
    if (now < record.lastMs) {
      record.untilMs -= record.lastMs - now;
      record.lastMs = now;
    }
    return Math.max(0, record.untilMs - now);
  };
  const failed = (place: Place): number => {
    const key = keyOf(place);
    const now = clock.now();
    const known = places.get(key);
    const record =
      known === undefined || now - known.lastMs > quietMs ? { failures: 0, untilMs: 0, lastMs: now } : known;
    const still = waitMs(record);
    record.lastMs = now;
    // Deleted and set again, so that the map stays ordered by the last failure.
    places.delete(key);
    places.set(key, record);
    if (places.size > maxPlaces) places.delete(places.keys().next().value ?? "");
    if (still > 0) return Math.ceil(still / 1000);
    record.failures++;
    if (record.failures <= freeFailures) return 0;
    const seconds = Math.min(longestSeconds, 2 ** (record.failures - freeFailures - 1));
    record.untilMs = now + seconds * 1000;
    return seconds;
  };
  return { failed, waitSeconds: (place) => Math.ceil(waitMs(places.get(keyOf(place))) / 1000) };
}

/** An IPv6 client usually owns a whole /64 network, so all addresses of one count as the same place. */
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
