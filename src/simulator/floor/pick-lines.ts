import { RequestType } from "../../contract/enums.ts";
import { openAmount, type RunningLine, type RunningOrder } from "../orders/running-order.ts";
import { cancelLine } from "./cancel-line.ts";
import { changeMidPick, expectApplied } from "./change-mid-pick.ts";
import { confirmPick, nextAmount, type Pick, takePick } from "./confirm-pick.ts";
import type { Desk } from "./desk.ts";
import { lookAtItem } from "./look-up.ts";

export interface Stop {
  readonly running: RunningOrder;
  readonly line: RunningLine;
}

interface Tour {
  readonly isCart: boolean;
  /** Into which containers goods of this order go; null is the virtual one. */
  readonly containersOf: (running: RunningOrder) => readonly [string | null, ...(string | null)[]];
}

/** Goes from shelf to shelf. What an answer cancels meanwhile is not gone to any more. */
export async function pickLines(desk: Desk, stops: readonly Stop[], tour: Tour): Promise<void> {
  const left = [...stops];
  for (let stop = left.shift(); stop !== undefined; stop = left.shift()) {
    const { running, line } = stop;
    if (line.type === RequestType.Ignored) continue;
    await lookAtItem(desk, running.order.number, line.itemNumber);
    const isShort = desk.random.chance(0.04);
    while (openAmount(line) > 0) {
      await desk.work(
        desk.locationOf(line.itemNumber),
        `${running.order.number} ${line.itemNumber}`,
        desk.random.whole(3000, 12_000),
      );
      if (isShort && desk.random.chance(0.5)) break;
      const next = left[0];
      const isReordered = desk.faultRandom.chance(desk.rates.reorder);
      const pushed = await changeMidPick(desk, running);
      const pick = takePick(desk, {
        ...stop,
        amount: nextAmount(desk, line),
        containers: tour.containersOf(running),
        isCart: tour.isCart,
      });
      if (isReordered && next !== undefined && isSwappable(stop, next)) {
        const ahead = takePick(desk, {
          ...next,
          amount: openAmount(next.line),
          containers: tour.containersOf(next.running),
          isCart: tour.isCart,
        });
        desk.tally.countFault("reorder");
        if (!(await confirmOrDrop(desk, ahead))) {
          line.picked -= pick.amount;
          return;
        }
      }
      if (!(await confirmOrDrop(desk, pick))) return;
      if (pushed !== null) expectApplied(desk, running, pushed);
      if (isShort) break;
    }
    if (isShort && openAmount(line) > 0) await cancelLine(desk, running, line);
  }
}

/** Two lines only: no platform sends the second step of a line before the answer to its first. */
const isSwappable = (stop: Stop, next: Stop): boolean =>
  next.line !== stop.line && next.line.type !== RequestType.Ignored && openAmount(next.line) > 0;

/** Goods whose step is refused go back to the shelf. */
async function confirmOrDrop(desk: Desk, pick: Pick): Promise<boolean> {
  if (await confirmPick(desk, pick)) return true;
  pick.line.picked -= pick.amount;
  return false;
}
