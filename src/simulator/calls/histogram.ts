/** Counts times in buckets that grow by 5 %: bounded memory, and no percentile is off by more than that. */
export interface Histogram {
  readonly add: (ms: number) => void;
  readonly count: () => number;
  readonly mostMs: () => number;
  /** The time that this share of all stayed below. */
  readonly percentileMs: (share: number) => number;
  /** Every bucket that is not empty: its upper end and how many fell into it. */
  readonly buckets: () => readonly { readonly upToMs: number; readonly count: number }[];
  readonly clear: () => void;
}

const leastMs = 0.05;
const growth = Math.log(1.05);
const bucketCount = 320;

export function openHistogram(): Histogram {
  const counts = new Uint32Array(bucketCount);
  let count = 0;
  let most = 0;
  const upTo = (index: number) => leastMs * Math.exp(growth * index);
  return {
    add: (ms) => {
      const index = ms <= leastMs ? 0 : Math.min(bucketCount - 1, Math.ceil(Math.log(ms / leastMs) / growth));
      counts[index] = (counts[index] ?? 0) + 1;
      count++;
      if (ms > most) most = ms;
    },
    count: () => count,
    mostMs: () => most,
    percentileMs: (share) => {
      let left = Math.ceil(count * share);
      for (const [index, own] of counts.entries()) {
        left -= own;
        if (own > 0 && left <= 0) return Math.min(upTo(index), most);
      }
      return most;
    },
    buckets: () =>
      [...counts].flatMap((own, index) => (own === 0 ? [] : [{ upToMs: Math.min(upTo(index), most), count: own }])),
    clear: () => {
      counts.fill(0);
      count = 0;
      most = 0;
    },
  };
}
