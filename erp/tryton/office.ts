import type { Random } from "../../src/kit/ids.ts";
import type { TrytonClient, TrytonRow } from "./tryton-client.ts";

const shipments = "stock.shipment.out";
const cancelledShare = 0.35;

/** One change by a person at Tryton's own client, often to a shipment that is being picked. */
export async function changeShipment(tryton: TrytonClient, random: Random): Promise<string> {
  const running = await tryton.find(
    shipments,
    [
      ["state", "in", ["waiting", "assigned"]],
      ["moves.state", "=", "done"],
    ],
    ["number"],
  );
  const open = await tryton.find(shipments, [["state", "=", "assigned"]], ["number"]);
  const [isCancelled, isRunning, which] = [random.chance(cancelledShare), random.chance(0.6), random.whole(0, 9999)];
  const choices = isRunning && running.length > 0 ? running : open;
  const shipment: TrytonRow | undefined = choices[which % Math.max(1, choices.length)];
  if (shipment === undefined) return "nothing left to change";
  const number = String(shipment["number"]);
  if (isCancelled) {
    await tryton.press(shipments, "cancel", [shipment.id]);
    return `cancelled ${number}`;
  }
  // Deletes the open moves and plans them anew, with other ids and perhaps from other bins.
  await tryton.press(shipments, "wait", [shipment.id]);
  const isAssigned = await tryton.press(shipments, "assign_try", [shipment.id]);
  return `planned ${number} anew${isAssigned === true ? "" : ", which stays without stock"}`;
}
