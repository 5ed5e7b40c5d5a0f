import { RequestType, UnitOfMeasure } from "../../../contract/enums.ts";
import type { WorkOrder } from "../../../contract/schemas/work-order.ts";
import { bookPlacement, bookShortPick } from "../changes/book-work.ts";
import { expectContent, isWanted } from "../changes/expect-order.ts";
import { expectWarning } from "../changes/expect-warning.ts";
import { isChanged, memberOf, noteServed } from "../changes/simulated-order-group.ts";
import { openAmount, type RunningLine, type RunningOrder, takeOver } from "../orders/running-order.ts";
import { add } from "../records/platform-records.ts";
import { scanBatch } from "./fetch-order.ts";
import { type Operator, orderGroupOf, pushChangesNow, queryReport } from "./operator.ts";

/** Sorts a batch into the put wall. Single pieces are confirmed one by one, with identical bytes. */
export async function workPutWall(operator: Operator, code: string, batch: readonly RunningOrder[]): Promise<void> {
  await operator.work("put wall", `sorts ${code}`, 5000);
  for (const running of batch) await pushChangesNow(operator, running, "before the scan");
  const scanned = await fetchBatch(operator, code, batch);
  const begun = batch.filter(({ order }) => !operator.isChanging || scanned.has(order.number));
  for (const running of begun) await pushChangesNow(operator, running, "fetched");
  for (const [slot, running] of begun.entries()) {
    await placeOrder(operator, { code, batch: begun, running, location: `W-${operator.index + 1}-${slot + 1}` });
    await pushChangesNow(operator, running, "after");
  }
  if (operator.random.chance(0.15)) await queryReport(operator, begun);
}

interface Slot {
  readonly code: string;
  readonly batch: readonly RunningOrder[];
  readonly running: RunningOrder;
  readonly location: string;
}

async function placeOrder(operator: Operator, slot: Slot): Promise<void> {
  const { running } = slot;
  const orderGroup = orderGroupOf(operator, running.order.number);
  const seen = new Set<string>();
  for (let line = nextLine(running, seen); line !== undefined; line = nextLine(running, seen)) {
    seen.add(line.externalId ?? String(line.requestId));
    const [isGivenUp, isPiecewise] = [operator.random.chance(0.04), operator.random.chance(0.5)];
    const isShort = orderGroup?.plan.isShort === true && seen.size === 2;
    if (isShort) operator.tally.countChange("short-pick");
    // An order that changes must be started by a placement.
    if ((isGivenUp || isShort) && (running.steps > 0 || !operator.isChanging))
      await cancelItem(operator, running, line);
    else if (await placeLine(operator, slot, { line, isPiecewise })) seen.clear();
  }
}

const nextLine = (running: RunningOrder, seen: ReadonlySet<string>): RunningLine | undefined =>
  running.lines.find(
    (line) =>
      line.type !== RequestType.Ignored && openAmount(line) > 0 && !seen.has(line.externalId ?? String(line.requestId)),
  );

/** Returns true if the batch was scanned again meanwhile, so that the lines have changed. */
async function placeLine(
  operator: Operator,
  slot: Slot,
  { line, isPiecewise }: { readonly line: RunningLine; readonly isPiecewise: boolean },
): Promise<boolean> {
  const { running, location } = slot;
  const { number, externalData = null } = running.order;
  const orderGroup = orderGroupOf(operator, number);
  const inOwnUnit = openAmount(line) / line.factor;
  const pieces = isPiecewise && line.unit === UnitOfMeasure.Piece ? inOwnUnit : Math.min(1, inOwnUnit);
  let breaks = operator.breaks();
  for (let piece = 0; piece < pieces; piece++) {
    const completedAmount = inOwnUnit / pieces;
    await operator.work("put wall", `${number} ${line.itemNumber}`, operator.random.whole(1500, 4000));
    await pushChangesNow(operator, running, "during");
    if (await fetchAgain(operator, slot)) return true;
    const input = {
      workOrderNumber: number,
      itemNumber: line.itemNumber,
      itemNames: [{ languageIsoCode: "en", name: line.itemName ?? line.itemNumber, isDefault: true }],
      completedAmount,
      confirmedLocationName: location,
      userEmail: operator.email,
      externalData,
    };
    const about = { orders: [number], what: `${completedAmount} of ${line.itemNumber} at ${location}` };
    const answer = await operator.call("confirmPutWallPlacement", input, about);
    if (!answer.ok) return false;
    operator.records.event(number, "confirmPutWallPlacement");
    // Reported in the item's own unit, because no step has shown the adapter the number of base units.
    operator.records.place(number, line.itemNumber, location, completedAmount);
    if (piece > 0 && operator.breaks() !== breaks)
      operator.records.doubt(number, line.itemNumber, location, completedAmount);
    breaks = operator.breaks();
    line.picked += completedAmount * line.factor;
    running.steps++;
    if (orderGroup === null) continue;
    bookPlacement(orderGroup, number, line, completedAmount * line.factor);
    if (!isChanged(orderGroup) || !operator.isChanging) continue;
    expectWarning(orderGroup, { item: line.itemNumber, order: number, message: answer.message }, operator.tally);
  }
  return false;
}

/** The event names only the item, so all open lines of that item in this order are cancelled. */
async function cancelItem(operator: Operator, running: RunningOrder, { itemNumber }: RunningLine): Promise<void> {
  const { number } = running.order;
  const about = { orders: [number], what: itemNumber };
  const answer = await operator.call("cancelPutWallItem", { workOrderNumber: number, itemNumber }, about);
  if (!answer.ok) return;
  operator.records.event(number, "cancelPutWallItem");
  const lines = running.lines.filter((one) => one.itemNumber === itemNumber);
  for (const line of lines) {
    add(operator.records.of(number).cancelled, itemNumber, openAmount(line));
    line.isCancelled = true;
  }
  const orderGroup = orderGroupOf(operator, number);
  if (orderGroup !== null) bookShortPick(orderGroup, number, lines);
}

/** Uses what the scan shows of each order. Orders of which nothing is wanted are not shown. */
async function fetchBatch(
  operator: Operator,
  code: string,
  batch: readonly RunningOrder[],
): Promise<ReadonlyMap<string, WorkOrder>> {
  const scanned = new Map((await scanBatch(operator, code, batch)).map((order) => [order.number, order]));
  // The scan also shows follow-ups of the batch, whoever works on them.
  for (const [number, content] of scanned) {
    const orderGroup = orderGroupOf(operator, number);
    if (orderGroup === null) continue;
    expectContent(orderGroup, content, operator.tally);
    noteServed(orderGroup, content);
    const running = batch.find(({ order }) => order.number === number);
    if (running !== undefined) Object.assign(memberOf(orderGroup, number), { floor: running, isAtWall: true });
    if (running !== undefined && isChanged(orderGroup) && isWanted(orderGroup, number))
      takeOver(running, content, true);
  }
  return scanned;
}

async function fetchAgain(operator: Operator, { code, batch, running }: Slot): Promise<boolean> {
  const { number } = running.order;
  const plan = orderGroupOf(operator, number)?.plan;
  if (plan?.fetchesAgainAt !== running.steps || running.isFetchedAgain) return false;
  running.isFetchedAgain = true;
  operator.tally.countChange("fetch-again");
  await fetchBatch(operator, code, batch);
  return true;
}
