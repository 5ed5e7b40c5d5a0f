import { hasWaiting } from "../changes/expect-content.ts";
import { carrierOf, type Family } from "../changes/family.ts";
import { type RunningOrder, runningOrder } from "../orders/running-order.ts";
import type { Desk } from "./desk.ts";
import { familyOf } from "./family-of.ts";
import { scan } from "./fetch-order.ts";
import { speakUp } from "./speak-up.ts";

/** Nobody adds more often to one order; what is left is found in the list. */
const mostFollowUps = 9;

/** Works on what was added to an order meanwhile, where somebody goes for it at once. */
export async function workFollowUps(
  desk: Desk,
  { order, id }: RunningOrder,
  work: (followUp: RunningOrder) => Promise<void>,
): Promise<void> {
  const family = familyOf(desk, order.number);
  if (family === null || !desk.isChanging || family.number !== order.number || !family.plan.followsAtOnce) return;
  await workWaiting(desk, { family, id }, work);
}

/** A second cart takes what was added while the first one is on its way. */
export async function workBesides(
  desk: Desk,
  { order, id, steps }: RunningOrder,
  work: (followUp: RunningOrder) => Promise<void>,
): Promise<void> {
  const family = familyOf(desk, order.number);
  if (family === null || family.number !== order.number || !family.plan.hasSecondCart || steps === 0) return;
  if (!hasWaiting(family)) return;
  desk.tally.countChange("several-carts");
  await workWaiting(desk, { family, id }, work);
}

async function workWaiting(
  desk: Desk,
  { family, id }: { readonly family: Family; readonly id: number },
  work: (followUp: RunningOrder) => Promise<void>,
): Promise<void> {
  for (let position = 1; position <= mostFollowUps && hasWaiting(family); position++) {
    const number = `${family.number}-F${position}`;
    if (family.carriers.some((one) => one.number === number && one.state !== "waiting")) continue;
    const content = await scan(desk, family, { order: { ...family.order, number }, source: "list" }, false);
    if (content === null) continue;
    const followUp = runningOrder(content, followUpId(id, position), "list");
    carrierOf(family, number).floor = followUp;
    await speakUp(desk, followUp, "fetched");
    await work(followUp);
    await speakUp(desk, followUp, "during");
    if (carrierOf(family, number).state === "waiting") return;
  }
}

/** The platform's own number for a follow-up; it must not be that of another order. */
export const followUpId = (id: number, position: number): number => id + position * 1_000_000;
