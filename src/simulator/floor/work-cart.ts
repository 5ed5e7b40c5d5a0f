import { openAmount, type RunningOrder } from "../orders/running-order.ts";
import { askReport } from "./ask-report.ts";
import type { Desk } from "./desk.ts";
import { pickLines, type Stop } from "./pick-lines.ts";

/** Several orders in one tour, each into its own containers, which are put down at the end. */
export async function workCart(desk: Desk, orders: readonly RunningOrder[]): Promise<void> {
  const containers = new Map<RunningOrder, readonly [string | null, ...(string | null)[]]>();
  for (const running of orders) {
    const code = `C-${running.order.number}`;
    if (desk.random.chance(0.1)) containers.set(running, [null]);
    else containers.set(running, desk.random.chance(0.2) ? [code, `${code}-2`] : [code]);
  }
  const stops: Stop[] = orders.flatMap((running) => running.lines.map((line) => ({ running, line })));
  stops.sort((a, b) => place(desk, a).localeCompare(place(desk, b)) || a.line.requestId - b.line.requestId);
  await pickLines(desk, stops, { isCart: true, containersOf: (running) => containers.get(running) ?? [null] });
  await desk.work("dock", "puts the containers down", 20_000);
  await relocate(desk, orders, containers);
  if (desk.random.chance(0.15)) await askReport(desk, orders);
}

const place = (desk: Desk, { line }: Stop): string => desk.locationOf(line.itemNumber);

async function relocate(
  desk: Desk,
  orders: readonly RunningOrder[],
  containers: ReadonlyMap<RunningOrder, readonly (string | null)[]>,
): Promise<void> {
  const moved = orders.flatMap((running) =>
    (containers.get(running) ?? []).flatMap((containerCode, index) =>
      // The virtual container stands nowhere, and nothing was put into one of an order that was cancelled untouched.
      containerCode === null || running.lines.every(({ picked }) => picked === 0)
        ? []
        : [
            {
              containerCode,
              destinationLocationName: `DOCK-${(running.id % 8) + 1}`,
              workOrder: {
                number: running.order.number,
                requests:
                  index > 0
                    ? []
                    : running.lines.map((line) => ({
                        itemNumber: line.itemNumber,
                        requestedAmount: line.picked + openAmount(line),
                        completedAmount: line.picked,
                      })),
              },
            },
          ],
    ),
  );
  if (moved.length === 0) return;
  const numbers = [...new Set(moved.map(({ workOrder }) => workOrder.number))];
  const answer = await desk.call("relocateCartContainers", moved, {
    orders: numbers,
    what: `${moved.length} containers`,
  });
  if (!answer.ok) return;
  for (const number of numbers) desk.books.tell(number, "relocateCartContainers");
  for (const { containerCode, destinationLocationName, workOrder } of moved) {
    desk.books.of(workOrder.number).containers.set(containerCode, destinationLocationName);
  }
}
