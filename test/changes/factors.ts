import { type Carrier, type Family, largestServed } from "./family.ts";

export interface Factors {
  /** To be told when a line is shown for the first time. */
  readonly firstShown: (family: Family, carrier: Carrier, key: string) => void;
  readonly isKnown: (family: Family, carrier: Carrier, key: string) => boolean;
}

/**
 * Whether the implementation can know an item's factor. The simulated platform always uses the same one, so a factor
 * that follows from the rules is right; what counts here is when it follows.
 */
export function openFactors(): Factors {
  const shownAmounts = new Map<string, Set<number>>();
  const isCarried = (item: string) => (shownAmounts.get(item)?.size ?? 0) >= 2;

  return {
    firstShown: (family, carrier, key) => {
      const line = carrier.lines.get(key);
      const wanted = family.lines.get(key);
      if (line === undefined || wanted === undefined || line.amountsAtFirstShow !== undefined) return;
      const amounts = new Set(carrier.served.flatMap((content) => content.get(key) ?? []));
      line.amountsAtFirstShow = amounts;
      const atBegin = new Set(carrier.served.slice(0, carrier.servedAtBegin).flatMap((content) => content.get(key) ?? []));
      // A content that came after the beginning can only have been fetched by a scan; whether that counts is left open.
      if (wanted.factor !== 1 && amounts.size > 1 && atBegin.size <= 1) family.openQuestion ??= "contents served after the beginning";
      if (amounts.size === 1) {
        const seen = shownAmounts.get(wanted.item) ?? new Set();
        shownAmounts.set(wanted.item, seen.add(largestServed(carrier, key)));
      }
    },
    isKnown: (family, carrier, key) => {
      const wanted = family.lines.get(key);
      if (wanted === undefined || wanted.factor === 1) return true;
      const amounts = carrier.lines.get(key)?.amountsAtFirstShow;
      // Not shown yet: there is nothing to be converted.
      if (amounts === undefined) return true;
      return amounts.size === 1 || isCarried(wanted.item);
    },
  };
}
