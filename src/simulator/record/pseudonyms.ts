import { createHmac } from "node:crypto";

/** Other names for what must not be written down: the same for the same, and no way back without the key. */
export interface Pseudonyms {
  /** Characters other than letters and digits stay in their places: a slash in a number is worth replaying. */
  readonly identifier: (text: string) => string;
  readonly email: (text: string) => string;
  readonly text: (text: string) => string;
  /** A whole number with as many digits. */
  readonly number: (number: number) => number;
}

const mostKept = 200_000;

export function pseudonyms(key: Uint8Array): Pseudonyms {
  // A list of orders has the same texts again and again.
  const known = new Map<string, string>();
  const digest = (text: string) => {
    const kept = known.get(text);
    if (kept !== undefined) return kept;
    const made = createHmac("sha256", key).update(text).digest("hex");
    if (known.size >= mostKept) known.clear();
    known.set(text, made);
    return made;
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
      const digits = Math.min(9, Math.max(1, Math.trunc(Math.abs(number)).toString().length));
      const first = 10 ** (digits - 1);
      const made = first + (Number.parseInt(digest(`number ${number}`).slice(0, 12), 16) % (9 * first));
      return number < 0 ? -made : made;
    },
  };
}
