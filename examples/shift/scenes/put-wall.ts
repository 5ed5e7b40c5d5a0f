import { setTimeout } from "node:timers/promises";
import { type Floor, granted } from "../floor.ts";

const betweenPiecesMs = 50;

/** The batch is sorted into the wall. Two equal placements are two pieces, and both have to arrive. */
export async function putWall({ client, say, happened }: Floor): Promise<void> {
  const put = async (order: string, item: string, amount: number, place: string) => {
    const placement = { workOrderNumber: order, itemNumber: item, completedAmount: amount };
    granted(await client.confirmPutWallPlacement({ ...placement, confirmedLocationName: place }));
    happened({ what: "pick", order, item, qty: amount, place });
    // Nobody takes the next piece in the same millisecond; only there an equal event on another connection is a retry.
    await setTimeout(betweenPiecesMs);
  };
  await put("4714", "100300", 1, "W-1");
  await put("4715", "100300", 1, "W-2");
  await put("4715", "100300", 1, "W-2");
  granted(await client.cancelPutWallItem({ workOrderNumber: "4715", itemNumber: "100400" }));
  happened({ what: "cancel", order: "4715", item: "100400" });
  say("put wall: 4714 and 4715 sorted, item 100400 of 4715 cancelled");
}
