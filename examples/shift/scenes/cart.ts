import { type Floor, granted } from "../floor.ts";
import { runningOrder } from "../running-order.ts";
import { scan } from "../scan.ts";

/** Two orders are picked onto one cart, and their containers brought to the packing tables. */
export async function cart(floor: Floor): Promise<void> {
  const { client, say, happened } = floor;
  const first = runningOrder(await scan(floor, "4712"), 2);
  const second = runningOrder(await scan(floor, "4713"), 3);
  const rounds = [
    { order: first, pick: { line: "10", amount: 2, container: "CART-A", from: "M-02-01" } },
    { order: second, pick: { line: "10", amount: 1, container: "CART-B", from: "M-01-01" } },
    { order: second, pick: { line: "10", amount: 2, container: "CART-B", from: "M-01-02" } },
  ];
  for (const { order, pick } of rounds) {
    granted(await client.confirmCartStep(order.cartStep(pick)));
    happened(order.booking(pick));
  }
  const moves = [
    { order: first, container: "CART-A", place: "PACK-1" },
    { order: second, container: "CART-B", place: "PACK-2" },
  ];
  granted(
    await client.relocateCartContainers(
      moves.map(({ order, container, place }) => ({
        ...{ containerCode: container, destinationLocationName: place },
        workOrder: { number: order.number, requests: order.requests() },
      })),
    ),
  );
  for (const { order, container, place } of moves)
    happened({ what: "move", order: order.number, tote: container, place });
  say("cart: 4712 and 4713 picked, their containers moved to the packing tables");
}
