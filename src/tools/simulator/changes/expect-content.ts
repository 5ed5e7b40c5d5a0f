import type { WorkOrder } from "../../../contract/schemas/work-order.ts";
import type { Tally } from "../calls/call-tally.ts";
import {
  amountsIn,
  type Carrier,
  carrierOf,
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
