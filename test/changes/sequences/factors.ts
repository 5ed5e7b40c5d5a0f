import type { Carrier, CarrierLine, Family, WantedLine } from "../model/family.ts";

export interface Factors {
  /** To be told whenever a line is shown. */
  readonly shown: (family: Family, carrier: Carrier, key: string, isByStep: boolean) => void;
  readonly isKnown: (family: Family, carrier: Carrier, key: string) => boolean;
}

/**
 * Whether the implementation can know an item's factor. The simulated platform always uses the same one, so a factor
 * that follows from the rules is right; what counts here is when it follows.
 */
export function openFactors(): Factors {
  /** By item: amounts of lines with one served content, and the orders whose first steps showed them. */
  const shownAmounts = new Map<string, Map<number, Set<string>>>();

  /** The same of lines that only the model of an order that never changed has shown: whether that counts is left open. */
  const perhapsShown = new Map<string, Map<number, Set<string>>>();
  const note = (all: typeof shownAmounts, item: string, amount: number, number: string) => {
    const seen = all.get(item) ?? new Map<number, Set<string>>();
    all.set(item, seen);
    seen.set(amount, (seen.get(amount) ?? new Set()).add(number));
  };

  const isCarried = (item: string, family: Family): boolean => {
    const shown = shownAmounts.get(item) ?? new Map<number, Set<string>>();
    const elsewhere = [...shown.values()].filter((numbers) => [...numbers].some((number) => number !== family.number));
    if (elsewhere.length >= 2) return true;
    const perhaps = new Set([...shown.keys(), ...(perhapsShown.get(item)?.keys() ?? [])]);
    if (perhaps.size >= 2) family.openQuery ??= "a factor that other lines of the same order show, or a model only";
    return false;
  };

  /** What other orders have shown counts for a line from the next time on that it is shown itself. */
  const noteCarried = (family: Family, line: CarrierLine, { item, factor }: WantedLine): void => {
    if (factor === 1 || line.isFactorCarried || line.amountsAtFirstShow?.size === 1) return;
    line.isFactorCarried = isCarried(item, family);
  };

  const noteFirst = (family: Family, carrier: Carrier, key: string, line: CarrierLine, wanted: WantedLine): void => {
    const amountsIn = (contents: Carrier["served"]) => new Set(contents.flatMap((content) => content.get(key) ?? []));
    const amounts = amountsIn(carrier.served);
    line.amountsAtFirstShow = amounts;
    if (wanted.factor === 1) return;
    const atBegin = amountsIn(carrier.served.slice(0, carrier.servedAtBegin));
    // Served after the beginning: only a scan can have fetched it, and whether that counts is left open.
    if (amounts.size > 1 && atBegin.size <= 1) family.openQuery ??= "contents served after the beginning";
    if (amounts.size > 1 && carrier !== family.carriers[0]) family.openQuery ??= "a follow-up that changed, in metres";
    noteCarried(family, line, wanted);
  };

  return {
    shown: (family, carrier, key, isByStep) => {
      const line = carrier.lines.get(key);
      const wanted = family.lines.get(key);
      if (line === undefined || wanted === undefined) return;
      const isAgain = line.amountsAtFirstShow !== undefined;
      if (isAgain) noteCarried(family, line, wanted);
      if (isAgain && !isByStep) return;
      if (!isAgain) noteFirst(family, carrier, key, line, wanted);
      if (wanted.factor === 1 || line.amountsAtFirstShow?.size !== 1) return;
      const [amount = 0] = line.amountsAtFirstShow;
      note(isByStep || family.isChanged ? shownAmounts : perhapsShown, wanted.item, amount, family.number);
    },
    isKnown: (family, carrier, key) => {
      const wanted = family.lines.get(key);
      if (wanted === undefined || wanted.factor === 1) return true;
      const line = carrier.lines.get(key);
      const amounts = line?.amountsAtFirstShow;
      // Not shown yet: there is nothing to be converted.
      if (line === undefined || amounts === undefined) return true;
      return amounts.size === 1 || line.isFactorCarried;
    },
  };
}
