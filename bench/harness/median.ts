export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value below which the given share of all values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const index = Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1));
  const value = sorted[index];
  if (value === undefined) throw new Error("a quantile needs at least one value");
  return value;
}
