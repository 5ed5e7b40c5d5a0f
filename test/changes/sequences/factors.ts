import type { MemberLine, MemberOrder, OrderGroup, WantedLine } from "../model/order-group.ts";

export interface Factors {
  /** To be told whenever a line is shown. */
  readonly shown: (group: OrderGroup, member: MemberOrder, key: string, isByStep: boolean) => void;
  readonly isKnown: (group: OrderGroup, member: MemberOrder, key: string) => boolean;
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

  const isCarried = (item: string, group: OrderGroup): boolean => {
    const shown = shownAmounts.get(item) ?? new Map<number, Set<string>>();
    const elsewhere = [...shown.values()].filter((numbers) => [...numbers].some((number) => number !== group.number));
    if (elsewhere.length >= 2) return true;
    const perhaps = new Set([...shown.keys(), ...(perhapsShown.get(item)?.keys() ?? [])]);
    if (perhaps.size >= 2) group.undecided ??= "a factor that other lines of the same order show, or a model only";
    return false;
  };

  /** What other orders have shown counts for a line from the next time on that it is shown itself. */
  const noteCarried = (group: OrderGroup, line: MemberLine, { item, factor }: WantedLine): void => {
    if (factor === 1 || line.isFactorCarried || line.amountsAtFirstShow?.size === 1) return;
    line.isFactorCarried = isCarried(item, group);
  };

  const noteFirst = (
    group: OrderGroup,
    member: MemberOrder,
    key: string,
    line: MemberLine,
    wanted: WantedLine,
  ): void => {
    const amountsIn = (contents: MemberOrder["served"]) =>
      new Set(contents.flatMap((content) => content.get(key) ?? []));
    const amounts = amountsIn(member.served);
    line.amountsAtFirstShow = amounts;
    if (wanted.factor === 1) return;
    const atBegin = amountsIn(member.served.slice(0, member.servedAtBegin));
    // Served after the beginning: only a scan can have fetched it, and whether that counts is left open.
    if (amounts.size > 1 && atBegin.size <= 1) group.undecided ??= "contents served after the beginning";
    if (amounts.size > 1 && member !== group.members[0]) group.undecided ??= "a follow-up that changed, in metres";
    noteCarried(group, line, wanted);
  };

  return {
    shown: (group, member, key, isByStep) => {
      const line = member.lines.get(key);
      const wanted = group.lines.get(key);
      if (line === undefined || wanted === undefined) return;
      const isAgain = line.amountsAtFirstShow !== undefined;
      if (isAgain) noteCarried(group, line, wanted);
      if (isAgain && !isByStep) return;
      if (!isAgain) noteFirst(group, member, key, line, wanted);
      if (wanted.factor === 1 || line.amountsAtFirstShow?.size !== 1) return;
      const [amount = 0] = line.amountsAtFirstShow;
      note(isByStep || group.isChanged ? shownAmounts : perhapsShown, wanted.item, amount, group.number);
    },
    isKnown: (group, member, key) => {
      const wanted = group.lines.get(key);
      if (wanted === undefined || wanted.factor === 1) return true;
      const line = member.lines.get(key);
      const amounts = line?.amountsAtFirstShow;
      // Not shown yet: there is nothing to be converted.
      if (line === undefined || amounts === undefined) return true;
      return amounts.size === 1 || line.isFactorCarried;
    },
  };
}
