import { cancel } from "../changes/speak.ts";
import { openAmount, type RunningOrder } from "../orders/running-order.ts";
import type { Desk } from "./desk.ts";
import { familyOf } from "./family-of.ts";

/** Now and then the external system changes its mind while the order is being picked. */
export async function changeMidPick(desk: Desk, running: RunningOrder): Promise<void> {
  if (!desk.faultRandom.chance(desk.rates["mid-pick-cancel"])) return;
  // Drawn in any case: what is drawn must not hang on how the order stands.
  const [isWhole, isReduction, which] = [
    desk.faultRandom.chance(0.15),
    desk.faultRandom.chance(0.4),
    desk.faultRandom.whole(0, 1000),
  ];
  // Of orders that came another way nobody knows what their external system wants.
  const family = familyOf(desk, running.order.number);
  if (!desk.canPush || family === null) return;
  const open = running.lines.filter((line) => openAmount(line) > 0 && line.externalId !== null);
  const line = open[which % Math.max(1, open.length)];
  const key = line?.externalId ?? null;
  if (line === undefined || key === null) return;
  const amount = isReduction ? Math.floor(line.requested / line.factor / 2) : 0;
  desk.tally.countFault("mid-pick-cancel");
  if (isWhole) return void (await cancel(desk, family, {}, new Map([...family.lines.keys()].map((one) => [one, 0]))));
  const reduced = amount > 0 ? { requestedAmount: amount } : {};
  await cancel(desk, family, { requestExternalIdentifier: key, ...reduced }, new Map([[key, amount]]));
}
