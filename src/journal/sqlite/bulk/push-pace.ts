/** How many pushed entries the writer gets at once, by how long the ones before took. */
export interface PushPace {
  readonly most: () => number;
  /** Called when a batch with so many pushed entries is stored. */
  readonly stored: (entries: number, tookMs: number) => void;
  /** Called when no push waits any more: what the next ones cost is not known. */
  readonly end: () => void;
}

/** An event behind them waits some milliseconds, unless they change long orders. */
const mostPushed = 250;
/** A cancellation in an order of ten thousand lines takes as long as hundreds of others, which nobody sees beforehand. */
const mostFirst = 4;
/** An event that waits for a batch of pushes for longer than this would be noticed on the floor. */
const longMs = 20;

export function pushPace(): PushPace {
  let most = mostFirst;
  return {
    most: () => most,
    stored: (entries, tookMs) => {
      if (tookMs > longMs) most = Math.max(1, Math.floor((Math.min(most, entries) * longMs) / tookMs));
      else if (tookMs <= longMs / 2) most = Math.min(mostPushed, 2 * Math.max(most, entries));
    },
    end: () => {
      most = mostFirst;
    },
  };
}
