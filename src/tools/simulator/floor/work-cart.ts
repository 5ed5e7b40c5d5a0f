import { openAmount, type RunningOrder } from "../orders/running-order.ts";
import { shelfOf } from "./confirm-pick.ts";
import { fetchOrder } from "./fetch-order.ts";
import { type Operator, orderGroupOf, pushChangesNow, queryReport } from "./operator.ts";
import { pickLines, type Stop } from "./pick-lines.ts";
import { workFollowUps, workMeanwhile } from "./work-rounds.ts";

type Containers = readonly [string | null, ...(string | null)[]];

/** Several orders in one tour, each in its own containers, which are relocated at the end. */
export async function workCart(operator: Operator, orders: readonly RunningOrder[]): Promise<void> {
  const begun: RunningOrder[] = [];
  for (const running of orders) {
    // If nothing changes, the cart uses the content of the list.
    if (!(operator.isChanging || operator.hasOffice) || (await fetchOrder(operator, running))) begun.push(running);
  }
  const stops: Stop[] = begun.flatMap((running) => running.lines.map((line) => ({ running, line })));
  stops.sort((a, b) => place(operator, a).localeCompare(place(operator, b)) || a.line.requestId - b.line.requestId);
  const second = stops.filter(
    ({ running }, index) =>
      orderGroupOf(operator, running.order.number)?.plan.hasSecondCart === true && index >= stops.length / 2,
  );
  await tour(operator, { orders: begun, stops: stops.filter((stop) => !second.includes(stop)), suffix: "" });
  if (second.length > 0) {
    operator.tally.countChange("several-carts");
    const left = [...new Set(second.map(({ running }) => running))];
    // Lines that were fetched again have other request ids. The first cart has picked them.
    await tour(operator, { orders: left, stops: second, suffix: "-B" });
  }
  for (const running of begun) await pushChangesNow(operator, running, "after");
  if (operator.random.chance(0.15)) await queryReport(operator, begun);
  for (const running of begun) await workFollowUps(operator, running, (one) => pickAlone(operator, one));
}

/** A follow-up on its own cart. */
const pickAlone = (operator: Operator, running: RunningOrder): Promise<void> =>
  tour(operator, { orders: [running], stops: running.lines.map((line) => ({ running, line })), suffix: "" });

interface Tour {
  readonly orders: readonly RunningOrder[];
  readonly stops: readonly Stop[];
  readonly suffix: string;
}

async function tour(operator: Operator, { orders, stops, suffix }: Tour): Promise<void> {
  const containers = new Map<RunningOrder, Containers>();
  for (const running of orders) {
    const code = `C-${running.order.number}${suffix}`;
    if (operator.random.chance(0.1)) containers.set(running, [null]);
    else containers.set(running, operator.random.chance(0.2) ? [code, `${code}-2`] : [code]);
  }
  await pickLines(operator, stops, {
    isCart: true,
    containersOf: (running) => containers.get(running) ?? [null],
    meanwhile: (running) => workMeanwhile(operator, running, (one) => pickAlone(operator, one)),
  });
  await operator.work("dock", "puts the containers down", 20_000);
  await relocate(operator, orders, containers);
}
const place = (operator: Operator, { line }: Stop): string => shelfOf(operator, line);

async function relocate(
  operator: Operator,
  orders: readonly RunningOrder[],
  containers: ReadonlyMap<RunningOrder, readonly (string | null)[]>,
): Promise<void> {
  const moved = orders.flatMap((running) =>
    (containers.get(running) ?? []).flatMap((containerCode, index) =>
      // The virtual container has no location. The container of an order that was cancelled before any pick is empty.
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
  const answer = await operator.call("relocateCartContainers", moved, {
    orders: numbers,
    what: `${moved.length} containers`,
  });
  if (!answer.ok) return;
  for (const number of numbers) operator.records.event(number, "relocateCartContainers");
  for (const { containerCode, destinationLocationName, workOrder } of moved) {
    operator.records.of(workOrder.number).containers.set(containerCode, destinationLocationName);
  }
}
