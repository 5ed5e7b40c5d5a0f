import { compareBookings } from "./compare-bookings.ts";
import { type FloorNeeds, openFloor } from "./floor.ts";
import { badOrder } from "./scenes/bad-order.ts";
import { cart } from "./scenes/cart.ts";
import { giveUp } from "./scenes/give-up.ts";
import { lookAround } from "./scenes/look-around.ts";
import { outage } from "./scenes/outage.ts";
import { paperwork } from "./scenes/paperwork.ts";
import { putWall } from "./scenes/put-wall.ts";
import { singlePick } from "./scenes/single-pick.ts";

/** A whole shift as the platform sees it. Throws where an answer or the ERP's books are not as they must be. */
export async function playShift(needs: FloorNeeds): Promise<void> {
  const floor = openFloor(needs);
  await lookAround(floor);
  const picked = await singlePick(floor);
  await cart(floor);
  await putWall(floor);
  await giveUp(floor);
  await outage(floor);
  await badOrder(floor);
  await paperwork(floor, picked);
  await compareBookings(floor);
}
