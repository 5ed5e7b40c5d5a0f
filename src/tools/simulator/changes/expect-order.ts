import { UnitOfMeasure } from "../../../contract/enums.ts";
import type { UpdateWorkOrderRequest } from "../../../contract/schemas/confirm-step.ts";
import type { WorkOrder } from "../../../contract/schemas/work-order.ts";
import type { Tally } from "../calls/call-tally.ts";
import type { RunningOrder } from "../orders/running-order.ts";
import {
  amountsIn,
  type Carrier,
  carrierOf,
  event,
  type Family,
  groupsOf,
  isChanged,
  linesOf,
  mayBeUncertain,
  openIn,
  pickedOf,
  shareOut,
  wantedOf,
} from "./order-family.ts";

/** The amount of a group that a fetch of the order must show, in base units; null if several are allowed. */
function expectedContent(family: Family, carrier: Carrier, group: string): number | null {
  const { targets, waiting } = shareOut(family, group);
  if (carrier.state === "waiting") return waiting;
  if (carrier !== family.carriers[0]) return null;
  const others = family.carriers.slice(1).reduce((sum, one) => sum + (targets.get(one) ?? 0), 0);
  return Math.max(0, wantedOf(family, group) - others - waiting);
}

/** Compares a fetched content with what is wanted. */
export function expectContent(family: Family, content: WorkOrder, tally: Tally): void {
  if (!isChanged(family)) return;
  const carrier = carrierOf(family, content.number);
  const found = amountsIn(family, content);
  const expected = groupsOf(family).map((group) => [group, expectedContent(family, carrier, group)] as const);
  // If nothing is left, the order is shown unchanged, with a text that says so.
  if (expected.every(([, amount]) => amount === null || amount === 0)) return;
  for (const [group, amount] of expected) {
    const factor = linesOf(family, group)[0]?.factor ?? 1;
    // If an item has several lines, the adapter decides which line a placement counts for.
    if (amount === null || mayBeUncertain(family, group) || linesOf(family, group).length > 1) continue;
    const whole = Math.ceil(amount / factor);
    const fetched = (found.get(group) ?? 0) / factor;
    if (whole === fetched) continue;
    tally.note({
      kind: "change",
      order: content.number,
      item: linesOf(family, group)[0]?.content.itemNumber ?? null,
      text: `a fetch of the order shows another amount than is wanted of it (line ${group})`,
      expected: String(whole),
      found: String(fetched),
      calls: [...family.history],
    });
  }
}

/** Whether anything of this order is still wanted. */
export const isWanted = (family: Family, number: string): boolean =>
  groupsOf(family).some((group) => (expectedContent(family, carrierOf(family, number), group) ?? 1) > 0);

/** Whether a scan must find the order: a finished one need not be found. */
export function isFindable(family: Family, number: string): boolean {
  const carrier = carrierOf(family, number);
  if (carrier.state === "waiting") return isWanted(family, number);
  const held = (group: string) =>
    (shareOut(family, group).targets.get(carrier) ?? 0) - (carrier.picked.get(group) ?? 0);
  return groupsOf(family).some((group) => held(group) > 0);
}

/** Whether there must be a follow-up that was not started. */
export const hasWaiting = (family: Family): boolean =>
  family.carriers[0].state !== "waiting" && groupsOf(family).some((group) => shareOut(family, group).waiting > 0);

/** Compares what the external system finally wants with what the floor has picked. Returns the number of orders. */
export function compareFamilies(families: Iterable<Family>, tally: Tally): number {
  let compared = 0;
  for (const family of families) {
    if (!isChanged(family)) continue;
    compared++;
    for (const group of groupsOf(family)) compareGroup(family, group, tally);
  }
  return compared;
}

/** Surplus was checked with every step: it was picked before the change could reach the floor. */
function compareGroup(family: Family, group: string, tally: Tally): void {
  const [line] = linesOf(family, group);
  const wanted = wantedOf(family, group);
  const picked = pickedOf(family, group);
  if (line === undefined || picked >= wanted || family.uncertain.has(group)) return;
  const held = family.carriers.reduce((sum, carrier) => sum + openIn(carrier, group), 0);
  // The last model that was sent still contained these pieces, and the contract has no other way to report it.
  const isDoubt = held >= wanted - picked;
  tally.note({
    kind: isDoubt ? "doubt" : "amount",
    order: family.number,
    item: line.content.itemNumber,
    text: isDoubt
      ? `no step has told the adapter that less is picked of line ${group}`
      : `less is picked of line ${group} than is wanted`,
    expected: String(wanted),
    found: String(picked),
    calls: [...family.history],
  });
}

interface AnsweredStep {
  readonly running: RunningOrder;
  readonly carrier: Carrier;
  /** The model as it was sent, and as it came back; null if nothing was to be changed. */
  readonly model: UpdateWorkOrderRequest;
  readonly update: UpdateWorkOrderRequest | null;
  readonly message: string | null;
}

/** Compares the offer in a step's answer with what is wanted: every line that shows too much, and no other line. */
export function expectOffer(family: Family, step: AnsweredStep, tally: Tally): void {
  const { running, carrier, model, update, message } = step;
  for (const shown of model.itemRequests ?? []) {
    const line = running.lines.find(({ requestId }) => requestId === shown.requestId);
    const key = line?.externalId ?? line?.itemNumber ?? "";
    const group = family.lines.get(key)?.group;
    if (line === undefined || group === undefined || linesOf(family, group).length > 1) continue;
    const told = (carrier.picked.get(group) ?? 0) - line.before;
    const amount = shown.isCancelled === true ? told : (shown.requestedAmount ?? 0);
    const target = Math.max(told, (shareOut(family, group).targets.get(carrier) ?? 0) - line.before);
    const expected = Math.min(amount, target);
    if (mayBeUncertain(family, group) && message !== null) family.uncertain.add(group);
    const found = offeredFor(update, shown.requestId ?? null, amount, told);
    if (found === expected) continue;
    // Fetched again and no step since: it is unknown whether it includes earlier picks.
    if (line.isRenewed && !line.isStepped) continue;
    if (mayBeUncertain(family, group) && found === amount && message !== null) continue;
    tally.note({
      kind: "change",
      order: running.order.number,
      item: line.itemNumber,
      text:
        expected < amount && found === amount
          ? `a change pushed before the step did not come with its answer (line ${key})`
          : `the answer to a step offers another amount than is wanted (line ${key})`,
      expected: `${expected} of ${amount}`,
      found: `${found}`,
      calls: [...family.history],
    });
  }
}

/** The amount of a line that the platform would have after applying the answer. */
function offeredFor(
  update: UpdateWorkOrderRequest | null,
  requestId: number | null,
  amount: number,
  picked: number,
): number {
  const offered = update?.itemRequests?.find((one) => one.requestId === requestId);
  if (offered === undefined) return amount;
  return offered.isCancelled === true ? picked : (offered.requestedAmount ?? amount);
}

/** What a text tells to put aside now, by item, whatever its language: `item: … amount …`, or a list at its very end. */
function asideIn(message: string | null): ReadonlyMap<string, number> {
  const single = /^(?<item>\S+) ?: \D*(?<amount>[\d.]*\d)/.exec(message ?? "")?.groups;
  if (single !== undefined) return new Map([[single["item"] ?? "", Number(single["amount"])]]);
  const list = /: ([^:]+)\.$/.exec(message ?? "")?.[1]?.split(", ") ?? [];
  const parts = list.map((one) => /^(\S+) × ([\d.]+)(?: \S+)?$/.exec(one));
  return new Map(parts.flatMap((found) => (found === null ? [] : [[found[1] ?? "", Number(found[2])] as const])));
}

function countTold({ toldAside }: Carrier, message: string | null): void {
  for (const [item, amount] of asideIn(message)) toldAside.set(item, (toldAside.get(item) ?? 0) + amount);
}

/**
 * Of an order that has not changed: one that was fetched again may be picked twice, and what is told of that is not told again
 * after a change. A text that names no order is about a line and does not count.
 */
export function noteTold(family: Family, order: string, message: string | null): void {
  const carrier = family.carriers.find(({ number }) => number === order);
  if (carrier !== undefined && message?.includes(order) === true) countTold(carrier, message);
}

/**
 * An operator who holds more of an item than is wanted must be told how many pieces to put aside: over all texts together as
 * many as are too much, since goods that lie aside are not told again.
 */
export function expectWarning(
  family: Family,
  { item, order, message }: { readonly item: string; readonly order: string; readonly message: string | null },
  tally: Tally,
): void {
  const lines = [...family.lines.values()].filter(({ content }) => content.itemNumber === item);
  const [first] = lines;
  if (first === undefined) return;
  const groups = new Set(lines.map(({ group }) => group));
  const picked = [...groups].reduce((sum, group) => sum + pickedOf(family, group), 0);
  const wanted = lines.reduce((sum, line) => sum + line.wanted, 0);
  // Numbers of orders and items contain digits too.
  const text = message?.replaceAll(order, "").replaceAll(item, "") ?? null;
  const note = (what: string, expected: string) =>
    tally.note({
      kind: "change",
      order,
      item,
      text: what,
      expected,
      found: message ?? "no text",
      calls: [...family.history],
    });
  const carrier = family.carriers.find(({ number }) => number === order);
  if (carrier === undefined) return;
  const { toldAside } = carrier;
  countTold(carrier, message);
  const tooMuch = picked / first.factor - wanted;
  // The surplus if both amounts were read in the same unit.
  const misread = picked - wanted;
  if (tooMuch <= 0 && misread > 0 && isNamed(misread, text)) {
    note("the operator is told to put goods aside that are wanted", "no such text");
  }
  const here = [...groups].reduce((sum, group) => sum + (carrier.picked.get(group) ?? 0), 0) / first.factor;
  // Only what is picked in this order is put aside here, and what other orders can put aside may be told there.
  const most = Math.min(here, tooMuch);
  const least = tooMuch - (picked / first.factor - here);
  const told = toldAside.get(item) ?? 0;
  // What is wanted again is too much no more, and is told once more if it is too much later.
  toldAside.set(item, Math.min(told, Math.max(0, most)));
  if (first.unit !== UnitOfMeasure.Piece) return;
  const found =
    told < least ? "not told to put aside all pieces that are too much" : "told to put aside too many pieces";
  if (told >= least && (told <= Math.max(0, most) || asideIn(message).size === 0)) return;
  note(`the operator is ${found}`, `${least === most ? most : `${least} to ${most}`} in all, ${told} were told`);
}

const isNamed = (amount: number, message: string | null): boolean =>
  new RegExp(`(?<!\\d)${amount}(?!\\d)`).test((message ?? "").replace(/(?<=\d)[\s.,](?=\d{3}(?!\d))/g, ""));

/** One line of the history for a step and its result. */
export function eventStep(family: Family, what: string, { running, model, update, message }: AnsweredStep): void {
  const lines = (model.itemRequests ?? []).map((one) => {
    const offered = update?.itemRequests?.find(({ requestId }) => requestId === one.requestId);
    const now = offered?.isCancelled === true ? "cancelled" : (offered?.requestedAmount ?? one.requestedAmount);
    const before = one.isCancelled === true ? "cancelled" : one.requestedAmount;
    return `${one.requestId}=${one.externalIdentifier} ${before}${now === before || before === "cancelled" ? "" : ` offered ${now}`}`;
  });
  event(
    family,
    `${running.order.number} step ${what}; shown ${lines.join(", ")}${message === null ? "" : `; "${message}"`}`,
  );
}
