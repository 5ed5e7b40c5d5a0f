/** Reproducible random numbers. Each operator has its own source, so that no call depends on timing. */
export interface Random {
  /** A whole number from `least` to `most`, both possible. */
  readonly whole: (least: number, most: number) => number;
  readonly chance: (share: number) => boolean;
  readonly oneOf: <Choice>(choices: readonly [Choice, ...Choice[]]) => Choice;
}

/** By mulberry32; `purpose` separates two sources of the same seed. */
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

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value | 0;
}
