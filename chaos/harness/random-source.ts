/** Reproducible random numbers: mulberry32. */
export interface RandomSource {
  /** A whole number from 0 up to, but not including, the limit. */
  readonly below: (limit: number) => number;
  readonly chance: (share: number) => boolean;
}

export function randomSource(seed: number): RandomSource {
  let state = seed | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { below: (limit) => next() * limit, chance: (share) => next() < share };
}
