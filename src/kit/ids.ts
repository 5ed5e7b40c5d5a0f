import { randomBytes, randomFillSync } from "node:crypto";
import type { Clock } from "./time/clock.ts";

/** Without letters that look like digits: operators read these aloud over the phone. */
const letters = "ABCDEFGHJKMNPQRSTVWXYZ23456789";

/** A short reference that appears in an answer and in the log. */
export function newReference(): string {
  return Array.from(randomBytes(8), (byte) => letters[byte % letters.length]).join("");
}

/** Fills the array with random bytes. */
export type FillRandom = (bytes: Uint8Array) => void;

// One counter for the whole process: with separate counters, ids of two generators would not be in order.
let lastMs = -1;
let counter = 0;

const randomPool = new Uint8Array(10 * 256);
let poolUsed = randomPool.length;
const tail = new Uint8Array(10);

/**
 * A UUIDv7 as text. Every id is greater than the previous one in this process, also within one
 * millisecond and when the clock is set back: sorting by id is sorting by acceptance.
 */
export function newId(clock: Clock, fillRandom: FillRandom = fromPool): string {
  const now = Math.max(clock.now(), lastMs);
  fillRandom(tail);
  if (now > lastMs) {
    lastMs = now;
    // The upper bit stays free, so that the counter can grow by thousands before it overflows.
    counter = ((byte(0) << 8) | byte(1)) & 0x7ff;
  } else if (++counter > 0xfff) {
    // Overflow: use the next millisecond rather than wait for it.
    lastMs++;
    counter = 0;
  }
  const time = lastMs.toString(16).padStart(12, "0");
  const sequence = counter.toString(16).padStart(3, "0");
  const variant = (0x8000 | ((byte(2) & 0x3f) << 8) | byte(3)).toString(16);
  const node = Buffer.from(tail.buffer, tail.byteOffset + 4, 6).toString("hex");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence}-${variant}-${node}`;
}

const byte = (index: number): number => tail[index] ?? 0;

// Reads random bytes for 256 ids at once: the system call costs more than the rest of an id.
function fromPool(bytes: Uint8Array): void {
  if (poolUsed + bytes.length > randomPool.length) {
    randomFillSync(randomPool);
    poolUsed = 0;
  }
  bytes.set(randomPool.subarray(poolUsed, poolUsed + bytes.length));
  poolUsed += bytes.length;
}

/** Makes new ids with a common prefix. */
export const prefixedIds = (prefix: string, clock: Clock) => (): string => prefix + newId(clock);

/** Reproducible random numbers. Each operator has its own source, so that no call depends on timing. */
export interface Random {
  /** A whole number from `least` to `most`, both possible. */
  readonly whole: (least: number, most: number) => number;
  readonly chance: (share: number) => boolean;
  readonly oneOf: <Choice>(choices: readonly [Choice, ...Choice[]]) => Choice;
}

/** Uses mulberry32. `purpose` separates two sources of the same seed. */
export function seededRandom(seed: number, purpose: string): Random {
  let state = hash(`${seed}|${purpose}`);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    whole,
    chance: (share) => next() < share,
    oneOf: ([first, ...others]) => others[whole(0, others.length) - 1] ?? first,
  };
}

/** The FNV-1a hash. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value | 0;
}
