import { RequestType, UnitOfMeasure } from "../../contract/enums.ts";
import { add } from "../books/books.ts";
import { openAmount, type RunningLine, type RunningOrder } from "../orders/running-order.ts";
import { askReport } from "./ask-report.ts";
import type { Desk } from "./desk.ts";
import { scanBatch } from "./look-up.ts";

/** Sorts a batch into the put wall. Single pieces are confirmed one by one, with the very same bytes each time. */
export async function workPutWall(desk: Desk, code: string, batch: readonly RunningOrder[]): Promise<void> {
  await desk.work("put wall", `sorts ${code}`, 5000);
  await scanBatch(desk, code, batch);
  for (const [slot, running] of batch.entries()) {
    for (const line of running.lines) {
      if (line.type === RequestType.Ignored) continue;
      const [isGivenUp, isPiecewise] = [desk.random.chance(0.04), desk.random.chance(0.5)];
      if (isGivenUp) await cancelItem(desk, running, line);
      else await placeLine(desk, { running, line, location: `W-${desk.index + 1}-${slot + 1}`, isPiecewise });
    }
  }
  if (desk.random.chance(0.15)) await askReport(desk, batch);
}

async function placeLine(
  desk: Desk,
  {
    running,
    line,
    location,
    isPiecewise,
  }: { running: RunningOrder; line: RunningLine; location: string; isPiecewise: boolean },
): Promise<void> {
  const { number, externalData = null } = running.order;
  const inOwnUnit = openAmount(line) / line.factor;
  const pieces = isPiecewise && line.unit === UnitOfMeasure.Piece ? inOwnUnit : Math.min(1, inOwnUnit);
  let breaks = desk.breaks();
  for (let piece = 0; piece < pieces; piece++) {
    const completedAmount = inOwnUnit / pieces;
    await desk.work("put wall", `${number} ${line.itemNumber}`, desk.random.whole(1500, 4000));
    const input = {
      workOrderNumber: number,
      itemNumber: line.itemNumber,
      itemNames: [{ languageIsoCode: "en", name: line.itemName ?? line.itemNumber, isDefault: true }],
      completedAmount,
      confirmedLocationName: location,
      userEmail: desk.email,
      externalData,
    };
    const about = { orders: [number], what: `${completedAmount} of ${line.itemNumber} at ${location}` };
    if (!(await desk.call("confirmPutWallPlacement", input, about)).ok) return;
    desk.books.tell(number, "confirmPutWallPlacement");
    // Told in the item's own unit; no step has shown the adapter how many base units that is.
    desk.books.place(number, line.itemNumber, location, completedAmount);
    if (piece > 0 && desk.breaks() !== breaks) desk.books.doubt(number, line.itemNumber, location, completedAmount);
    breaks = desk.breaks();
    line.picked += completedAmount * line.factor;
  }
}

/** Names only the item: whatever is open of it in this order is cancelled, on all its lines. */
async function cancelItem(desk: Desk, running: RunningOrder, { itemNumber }: RunningLine): Promise<void> {
  const { number } = running.order;
  const about = { orders: [number], what: itemNumber };
  const answer = await desk.call("cancelPutWallItem", { workOrderNumber: number, itemNumber }, about);
  if (!answer.ok) return;
  desk.books.tell(number, "cancelPutWallItem");
  for (const line of running.lines.filter((one) => one.itemNumber === itemNumber)) {
    add(desk.books.of(number).cancelled, itemNumber, openAmount(line));
    line.isCancelled = true;
  }
}
