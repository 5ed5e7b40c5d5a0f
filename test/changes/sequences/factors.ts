import { type Carrier, type Family, largestServed } from "../model/family.ts";

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
  /** By item: amounts of lines with one served content, and the orders whose first steps showed them. */
  const shownAmounts = new Map<string, Map<number, Set<string>>>();

  const isCarried = (item: string, family: Family): boolean => {
    const orders = [...(shownAmounts.get(item)?.values() ?? [])];
    const elsewhere = orders.filter((numbers) => [...numbers].some((number) => number !== family.number));
    if (elsewhere.length >= 2) return true;
    if (orders.length >= 2) family.openQuery ??= "a factor that other lines of the same order show";
    return false;
  };

  return {
    firstShown: (family, carrier, key) => {
      const line = carrier.lines.get(key);
      const wanted = family.lines.get(key);
      if (line === undefined || wanted === undefined || line.amountsAtFirstShow !== undefined) return;
      const amountsIn = (contents: Carrier["served"]) => new Set(contents.flatMap((content) => content.get(key) ?? []));
      const amounts = amountsIn(carrier.served);
      line.amountsAtFirstShow = amounts;
      if (wanted.factor === 1) return;
      const atBegin = amountsIn(carrier.served.slice(0, carrier.servedAtBegin));
      // Served after the beginning: only a scan can have fetched it, and whether that counts is left open.
      if (amounts.size > 1 && atBegin.size <= 1) family.openQuery ??= "contents served after the beginning";
      if (amounts.size > 1 && carrier !== family.carriers[0])
        family.openQuery ??= "a follow-up that changed, in metres";
      if (amounts.size !== 1) return;
      const seen = shownAmounts.get(wanted.item) ?? new Map<number, Set<string>>();
      shownAmounts.set(wanted.item, seen);
      const amount = largestServed(carrier, key);
      seen.set(amount, (seen.get(amount) ?? new Set()).add(family.number));
    },
    isKnown: (family, carrier, key) => {
      const wanted = family.lines.get(key);
      if (wanted === undefined || wanted.factor === 1) return true;
      const amounts = carrier.lines.get(key)?.amountsAtFirstShow;
      // Not shown yet: there is nothing to be converted.
      if (amounts === undefined) return true;
      return amounts.size === 1 || isCarried(wanted.item, family);
    },
  };
}
