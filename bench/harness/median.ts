/**
 * The value in the middle; of an even number of values the mean of the two in the middle. The lower one of them would
 * make every ratio of an even number of rounds smaller, also that of equal programs.
 */
export function median(values: readonly number[]): number {
  const reversed = values.map((value) => -value);
  return (quantile(values, 0.5) - quantile(reversed, 0.5)) / 2;
}

/** The value below which the given share of all values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const index = Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1));
  const value = sorted[index];
  if (value === undefined) throw new Error("a quantile needs at least one value");
  return value;
}

/** The two sides of each round of one start. */
interface Pairs {
  readonly ours: readonly number[];
  readonly bare: readonly number[];
}

/**
 * The ratio of two programs that were started several times: the median of the starts, and for each start the median of
 * its rounds. What slows the machine slows both sides of a round; what differs between starts counts once for each.
 */
const pairedRatio = (starts: readonly Pairs[]): number =>
  median(starts.map(({ ours, bare }) => median(ours.map((value, round) => value / (bare[round] ?? Number.NaN)))));

/** Both figures of programs that were started several times, each with the values of its rounds, and their ratio. */
export function comparedStarts(ours: readonly (readonly number[])[], bare: readonly (readonly number[])[]) {
  const starts = ours.map((values, start) => ({ ours: values, bare: bare[start] ?? [] }));
  return { ours: median(ours.flat()), bare: median(bare.flat()), pairedRatio: pairedRatio(starts) };
}
