import type { PushedCancellation } from "../../contract/pushes.ts";
import { openAmount, type RunningLine, type RunningOrder } from "../orders/running-order.ts";
import type { Desk } from "./desk.ts";

/** A change that the external system has pushed, and that the next confirm step has to bring. */
export interface PushedChange {
  readonly lines: readonly RunningLine[];
  /** In base units, for each of the lines. */
  readonly target: number;
  readonly what: string;
}

/** Now and then the external system changes its mind while the order is being picked. Null where it does not. */
export async function changeMidPick(desk: Desk, running: RunningOrder): Promise<PushedChange | null> {
  if (!desk.faultRandom.chance(desk.rates["mid-pick-cancel"])) return null;
  // Drawn in any case: what is drawn must not hang on how the order stands.
  const [isWhole, isReduction, which] = [
    desk.faultRandom.chance(0.15),
    desk.faultRandom.chance(0.4),
    desk.faultRandom.whole(0, 1000),
  ];
  if (!desk.canPush) return null;
  const open = running.lines.filter((line) => openAmount(line) > 0 && line.externalId !== null);
  const line = open[which % Math.max(1, open.length)];
  if (line === undefined) return null;
  const workOrderNumber = running.order.number;
  const amount = isReduction ? Math.floor(line.requested / line.factor / 2) : 0;
  const change: PushedCancellation = isWhole
    ? { workOrderNumber, reason: "simulated" }
    : {
        workOrderNumber,
        requestExternalIdentifier: line.externalId,
        ...(amount > 0 ? { requestedAmount: amount } : {}),
        reason: "simulated",
      };
  const what = isWhole ? "the whole order" : `line ${line.requestId} to ${amount}`;
  desk.tally.countFault("mid-pick-cancel");
  const isTaken = await desk.push("cancellations", [change], { orders: [workOrderNumber], what });
  if (!isTaken) return null;
  return { lines: isWhole ? running.lines : [line], target: isWhole ? 0 : amount * line.factor, what };
}

/** Looks whether the answer to a step that was sent after the push has brought the change. */
export function expectApplied(desk: Desk, running: RunningOrder, change: PushedChange): void {
  desk.books.of(running.order.number).appliedChanges++;
  for (const line of change.lines) {
    const most = Math.max(line.picked, change.target);
    if (line.isCancelled || line.requested <= most) continue;
    desk.tally.note({
      kind: "change",
      order: running.order.number,
      item: line.itemNumber,
      text: `a change pushed before the step (${change.what}) did not come with its answer`,
      expected: `line ${line.requestId} cancelled, or ${most}`,
      found: `still ${line.requested}`,
      calls: [...desk.books.of(running.order.number).calls],
    });
  }
}
