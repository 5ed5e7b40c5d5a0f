import type { RequestLine, WorkOrder } from "../../contract/schemas/work-order.ts";
import { lineKey, namesOf } from "../ledger/line-sight.ts";
import type { OrderStore } from "../order-store.ts";
import { type Carrier, type Family, type FamilyLine, isOver, isWaiting } from "./family.ts";
import { total } from "./line-amounts.ts";
import { type FollowUps, followUpContent } from "./read-changed-order.ts";
import { inTurn, wholeUnits } from "./reconcile.ts";
import { isPicked, isUnchanged, nothingSaid, type Wanted } from "./wanted.ts";
import { servedContent, type WantedTable, withServed } from "./wanted-table.ts";

interface Needs {
  readonly orders: OrderStore;
  readonly wanted: WantedTable;
  readonly followUps: FollowUps;
}

/** Gives every order of the family the content that was decided for it: what a list or a scan returns from now on. */
export function writeContents(needs: Needs, family: Family, receivedAt: number): void {
  const [main] = family.carriers;
  // An order that was never pushed has no content of ours, and nothing can be added to it.
  if (main?.order === undefined || family.wanted.pushed === null) return;
  writeMain(needs, family, main);
  // Whatever the platform shows of an order that never changed is left alone.
  if (isUnchanged(family.wanted)) return;
  writeRunning(needs, family);
  writeFollowUp(needs, family, receivedAt);
}

/** What the order itself is to have; null where nothing of it is wanted, or its follow-ups hold all of it. */
export const mainContent = (family: Family): WorkOrder | null =>
  contentWith(family.wanted, amountsBy(family, mainAmount));

function writeMain(needs: Needs, family: Family, main: Carrier): void {
  const { orders } = needs;
  const { pushed } = family.wanted;
  if (isOver(main)) {
    // Nobody can fetch an order that has ended: other lines of it would count as served and never were.
    const requests = main.order?.workOrder.requests ?? [];
    if (pushed !== null) replaceContent(needs, main, { ...pushed, number: main.number, requests });
    return;
  }
  const content = mainContent(family);
  if (content === null) {
    // Nothing is wanted any more. One that is being picked is still found by a scan, which says so.
    if (isWaiting(main)) orders.setState(main.number, "cancelled");
    return;
  }
  replaceContent(needs, main, { ...content, number: main.number });
  if (isWaiting(main)) orders.setState(main.number, "waiting");
}

/** What the order itself has of a line. While its unit is in doubt, that is all that is wanted, in whole units too. */
const mainAmount = ({ wanted, factor, decision }: FamilyLine): number =>
  decision === null || factor === null ? wholeUnits(wanted ?? 0, 1) : decision.content.own;

const followUpAmount = ({ factor, decision }: FamilyLine): number =>
  decision === null || factor === null ? 0 : decision.content.followUp;

/** A follow-up order that is being picked is scanned as it is wanted now, like the order itself. */
function writeRunning(needs: Needs, family: Family): void {
  for (const [index, carrier] of family.carriers.entries()) {
    if (index === 0 || carrier.order === undefined || isWaiting(carrier) || isOver(carrier)) continue;
    const content = runningContent(family, index);
    // Where nothing is left, a scan says so with the lines it had.
    if (content !== null) replaceContent(needs, carrier, followUpContent(carrier.number, family.root, content));
  }
}

/** What a follow-up order that is being picked is to have; null where that is nothing. */
export function runningContent(family: Family, index: number): WorkOrder | null {
  const present = Map.groupBy(servedContent(family.carriers[index]?.order?.workOrder.requests ?? []), lineKey);
  const amountOf = ({ key, factor, decision }: FamilyLine): number => {
    if (decision !== null && factor !== null) return wholeUnits(decision.held[index] ?? 0, factor);
    // While its unit is in doubt nobody can say what is left of it here: it stays as it is.
    return total((present.get(key) ?? []).map(({ amount }) => amount));
  };
  return contentWith(family.wanted, amountsBy(family, amountOf));
}

function writeFollowUp(needs: Needs, family: Family, receivedAt: number): void {
  const { orders, wanted, followUps } = needs;
  const [main, ...others] = family.carriers;
  if (main === undefined) return;
  const [waiting, ...spare] = others.filter(isWaiting);
  const rest = isWaiting(main) ? new Map<string, number>() : amountsBy(family, followUpAmount);
  const content = contentWith(family.wanted, rest);
  // One that nobody has begun is enough: an older one that is waiting still takes everything.
  for (const carrier of content === null && waiting !== undefined ? [waiting, ...spare] : spare)
    withdraw(orders, carrier);
  if (content === null) return;
  if (waiting !== undefined) {
    replaceContent(needs, waiting, followUpContent(waiting.number, family.root, content));
    orders.setState(waiting.number, "waiting");
    return;
  }
  const number = followUps.add(family.root);
  orders.insert(followUpContent(number, family.root, content), receivedAt);
  wanted.save(number, { wanted: nothingSaid, served: [] });
}

const amountsBy = ({ lines }: Family, of: (line: FamilyLine) => number): Map<string, number> =>
  new Map(lines.map((line) => [lineKey(line), of(line)]));

function withdraw(orders: OrderStore, { number, order }: Carrier): void {
  if (order?.state === "waiting") orders.setState(number, "cancelled");
}

/** The content before is kept: the platform may have fetched it. */
function replaceContent({ orders, wanted }: Needs, { number, order }: Carrier, content: WorkOrder) {
  if (order === undefined || JSON.stringify(order.workOrder) === JSON.stringify(content)) return;
  const changed = wanted.find(number);
  if (changed !== undefined) wanted.save(number, { ...changed, served: withServed(changed.served, order.workOrder) });
  orders.replace(number, content);
}

/** Lines with these amounts, by the key of the line; lines that nothing tells apart share theirs in turn. */
export function withAmounts(known: readonly RequestLine[], amounts: ReadonlyMap<string, number>): RequestLine[] {
  const shares = new Map<RequestLine, number>();
  for (const [key, alike] of Map.groupBy(known.filter(isPicked), (line) => lineKey(namesOf(line)))) {
    const had = alike.map(({ requestedAmount }) => requestedAmount);
    for (const [place, share] of inTurn(amounts.get(key) ?? 0, had).entries()) {
      const line = alike[place];
      if (line !== undefined) shares.set(line, share);
    }
  }
  return known.flatMap((line): RequestLine[] => {
    const amount = shares.get(line);
    // Not to be picked: it says something to the floor, and goes with the order as it is.
    if (amount === undefined) return [line];
    if (amount <= 0) return [];
    return amount === line.requestedAmount ? [line] : [{ ...line, requestedAmount: amount }];
  });
}

/** An order's content with these amounts, by the key of the line; null where no line is left. */
function contentWith(wanted: Wanted, amounts: ReadonlyMap<string, number>): WorkOrder | null {
  const { pushed, gone } = wanted;
  if (pushed === null) return null;
  const requests = withAmounts([...pushed.requests, ...gone], amounts);
  return requests.some(isPicked) ? { ...pushed, requests } : null;
}
