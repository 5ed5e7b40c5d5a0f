/** The name that was probably meant, or undefined if none is similar. */
export function nearestName(typed: string, names: readonly string[]): string | undefined {
  const limit = Math.max(2, Math.floor(typed.length / 3));
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const name of names) {
    const distance = editDistance(typed.toLowerCase(), name.toLowerCase());
    if (distance < bestDistance && distance < name.length) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}

/** Limit of suggestions: with more, nobody sees which one was meant. */
export const mostMeant = 3;

/** The names that were probably meant: similarly spelt or longer; empty if none is similar. */
export function namesMeant(typed: string, names: readonly string[]): readonly string[] {
  const near = nearestName(typed, names);
  if (near !== undefined) return [near];
  if (typed === "") return [];
  const longer = names.filter((name) => name.toLowerCase().includes(typed.toLowerCase()) || beginsAlike(name, typed));
  return longer.slice(0, mostMeant);
}

/** A question to be put before the list of all names, for a name that is not known; empty if none is similar. */
export function meantText(typed: string, names: readonly string[]): string {
  const meant = namesMeant(typed, names);
  return meant.length === 0 ? "" : `did you mean ${meant.join(" or ")}? `;
}

/** The same as a sentence. */
export const meantSentence = (typed: string, names: readonly string[]): string =>
  meantText(typed, names).replace(/^d/, "D");

/** Two sentences. The first may be a question. */
export const withNext = (sentence: string, next: string): string =>
  `${sentence}${sentence.endsWith("?") ? "" : "."} ${next}`;

const leastAlike = 4;

/**
 * Whether two names start alike, such as `itemNo` and `itemNumber`: too different for a typing error, but probably
 * meant.
 */
function beginsAlike(name: string, typed: string): boolean {
  const least = Math.max(leastAlike, Math.ceil((typed.length * 2) / 3));
  return typed.length >= least && name.toLowerCase().startsWith(typed.toLowerCase().slice(0, least));
}

/** The number of letters to add, drop, change or swap with their neighbour. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + same,
        swapped ? (beforeLast[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
