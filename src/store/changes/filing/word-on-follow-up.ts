import type { WorkOrder } from "../../../contract/schemas/work-order.ts";
import { roundAmount, takenOf } from "../../ledger/ledger-line.ts";
import { concerns, lineKey, namesOf } from "../../ledger/line-sight.ts";
import { type Carrier, carrierIndex, type Family, type FamilyLine, isOver, isWaiting } from "../family.ts";
import { heldBy, mostServed, sumOfAccounts, total } from "../line-amounts.ts";
import { givenInTurn } from "../reconcile.ts";
import { linesOf, type Word } from "../wanted.ts";
import { servedContent } from "../wanted-table.ts";
import { runningContent, withAmounts } from "../write-contents.ts";

/**
 * A follow-up order cancelled or lowered under its own number: what it is to have less, the external system wants less in
 * all. No word for a line that it never had.
 */
export function wordsOnFollowUp(family: Family, number: string, word: Word): readonly Word[] {
  const index = carrierIndex(family, number);
  const carrier = family.carriers[index];
  if (carrier === undefined) return [];
  const lines = family.lines.filter(
    (line) => concerns(word, line) && line.wanted !== null && mostServed(carrier, line.key) > 0,
  );
  const present = presentContent(family, index);
  const held = lines.map((line) => (line.decision === null ? present(line.key) : heldBy(line, index)));
  // It cannot be raised by its own number: that would be a word on what the other orders have.
  const shares = shareLess(
    Math.min(word.amount, total(held)),
    lines.map((line, place) => ({ held: held[place] ?? 0, picked: pickedIn(line, index) })),
  );
  return lines.map(({ externalId, itemNumber, lot, ...line }, place): Word => {
    const [before = 0, share = 0] = [held[place], shares[place]];
    const amount = share < before ? wantedWith(line, roundAmount(share - before)) : (line.wanted ?? 0);
    return { externalId, itemNumber, lot, lineKey: line.key, amount };
  });
}

/** Earlier lines keep first, and each what is picked of it. */
function shareLess(amount: number, lines: readonly { readonly held: number; readonly picked: number }[]): number[] {
  const kept = givenInTurn(
    amount,
    lines.map(({ held, picked }) => Math.min(held, picked)),
  );
  const more = givenInTurn(
    roundAmount(amount - total(kept)),
    lines.map(({ held }, place) => roundAmount(held - (kept[place] ?? 0))),
  );
  return kept.map((own, place) => roundAmount(own + (more[place] ?? 0)));
}

/** A follow-up order pushed under its own number: the order that it follows gets as much more or less, line by line. */
export function pushOfFollowUp(family: Family, workOrder: WorkOrder): WorkOrder {
  const index = carrierIndex(family, workOrder.number);
  const carrier = family.carriers[index];
  const { pushed, gone } = family.wanted;
  if (carrier === undefined || pushed === null) return workOrder;
  const given = new Map(linesOf(workOrder.requests).map((line) => [lineKey(line), line.amount]));
  const present = presentContent(family, index);
  const amounts = new Map(
    family.lines.map((line) => [
      line.key,
      wantedByPush(line, index, { present: present(line.key), amount: given.get(line.key) ?? 0 }),
    ]),
  );
  const known = [...pushed.requests, ...gone];
  const keys = new Set(known.map((line) => lineKey(namesOf(line))));
  const added = workOrder.requests.filter((line) => !keys.has(lineKey(namesOf(line))));
  return { ...pushed, requests: [...withAmounts(known, amounts), ...added] };
}

/** What is wanted of a line in all, where a follow-up order is to have this much of it. */
function wantedByPush(
  line: FamilyLine,
  index: number,
  { present, amount }: { readonly present: number; readonly amount: number },
): number {
  // The same again says nothing new, whatever the floor has cut short of it.
  if (amount === present) return line.wanted ?? 0;
  return wantedWith(line, amount - (line.decision === null ? present : heldBy(line, index)));
}

/** What is wanted in all with so much more or less; what the floor has cut short of other orders is not asked for again. */
const wantedWith = ({ wanted, facts, factor }: Pick<FamilyLine, "wanted" | "facts" | "factor">, more: number): number =>
  Math.max(0, roundAmount((wanted ?? 0) - (factor === null ? 0 : facts.cut / factor) + more));

/** What a list or a scan of a follow-up order gives of a line, by its key: nothing, where nothing is left of the order. */
function presentContent(family: Family, index: number): (key: string) => number {
  const carrier = family.carriers[index];
  const requests = carrier === undefined || isNothingLeft(family, carrier, index) ? [] : requestsOf(carrier);
  const byKey = Map.groupBy(servedContent(requests), lineKey);
  return (key) => total((byKey.get(key) ?? []).map(({ amount }) => amount));
}

const requestsOf = ({ order }: Carrier) => order?.workOrder.requests ?? [];

/** It was withdrawn; or it is being picked, and a scan returns the lines that it had with the text that nothing is left. */
function isNothingLeft(family: Family, carrier: Carrier, index: number): boolean {
  if (isWaiting(carrier)) return carrier.order?.state === "cancelled";
  return !isOver(carrier) && runningContent(family, index) === null;
}

const pickedIn = (line: FamilyLine, index: number): number => sumOfAccounts(line, line.accounts[index] ?? [], takenOf);
