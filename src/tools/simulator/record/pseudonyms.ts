import { createHmac } from "node:crypto";

/** Replacements for what must not be written: equal for equal values, and irreversible without the key. */
export interface Pseudonyms {
  /** Characters other than letters and digits keep their places: a slash in a number is worth replaying. */
  readonly identifier: (text: string) => string;
  readonly email: (text: string) => string;
  readonly text: (text: string) => string;
  /** A whole number with as many digits. */
  readonly number: (number: number) => number;
}

const mostKept = 200_000;
const mostDigits = 15;

export function pseudonyms(key: Uint8Array): Pseudonyms {
  // A cache: a list of orders repeats the same texts.
  const known = new Map<string, string>();
  const digest = (text: string) => {
    const kept = known.get(text);
    if (kept !== undefined) return kept;
    const made = createHmac("sha256", key).update(text).digest("hex");
    if (known.size >= mostKept) known.clear();
    known.set(text, made);
    return made;
  };
  /** A permutation below `size`: two lines of an order must not get the same number. */
  const permuted = (value: number, size: number): number => {
    const half = 2 ** Math.max(1, Math.ceil(Math.log2(size) / 2));
    let walked = value;
    do {
      let [left, right] = [Math.floor(walked / half), walked % half];
      for (let round = 0; round < 4; round++) {
        const mixed = Number.parseInt(digest(`number ${size} ${round} ${right}`).slice(0, 12), 16);
        [left, right] = [right, (left + mixed) % half];
      }
      walked = left * half + right;
    } while (walked >= size);
    return walked;
  };
  return {
    identifier: (text) => {
      const own = digest(text);
      let at = -1;
      return text.replace(/[\p{L}\p{N}]+/gu, () => {
        at++;
        return at === 0 ? `x${own.slice(0, 12)}` : own.slice(12 + ((at * 4) % 48)).slice(0, 4);
      });
    },
    email: (text) => (text === "" ? "" : `user-${digest(text.toLowerCase()).slice(0, 10)}@example.com`),
    text: (text) => (text === "" ? "" : `text-${digest(text).slice(0, 10)}`),
    number: (number) => {
      const whole = Math.trunc(Math.abs(number));
      // 0 reveals nothing.
      if (whole === 0) return 0;
      // An integer above the safe range is probably a code; with that many digits pseudonyms do not collide.
      const digits = Number.isSafeInteger(whole) ? Math.min(mostDigits, whole.toString().length) : mostDigits;
      const first = 10 ** (digits - 1);
      const value = whole < 10 * first ? whole - first : Number.parseInt(digest(`number ${number}`).slice(0, 12), 16);
      const made = first + permuted(value % (9 * first), 9 * first);
      return number < 0 ? -made : made;
    },
  };
}
