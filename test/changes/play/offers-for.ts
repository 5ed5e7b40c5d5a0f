import type { ShownModelLine } from "../model/book-step.ts";
import { type Carrier, countedFor, type Family, pickedOf } from "../model/family.ts";
import { type IsFactorKnown, stillWanted, targetsOf } from "../model/reconcile.ts";

/** The lines of a received model that are to be lowered: request id and amount, 0 for a cancelled one. */
export function offersFor(needs: {
  readonly family: Family;
  readonly carrier: Carrier;
  readonly model: readonly ShownModelLine[];
  readonly isKnown: IsFactorKnown;
}): ReadonlyMap<number, number> {
  const { family, carrier, model, isKnown } = needs;
  const offers = new Map<number, number>();
  if (!family.isChanged) return offers;
  for (const key of new Set(model.map((line) => line.key))) {
    const wanted = family.lines.get(key);
    const line = carrier.lines.get(key);
    if (wanted === undefined || line?.shown === undefined) continue;
    if (!isKnown(family, carrier, key) && stillWanted(wanted) > 0) continue;
    let spare = (targetsOf(family, wanted).targets.get(carrier) ?? 0) - pickedOf(carrier, key);
    for (const { requestId } of model.filter((one) => one.key === key)) {
      const amount = line.shown.get(requestId) ?? 0;
      const counted = countedFor(line, requestId);
      const more = Math.max(0, Math.min(amount - counted, spare));
      spare -= more;
      if (amount > counted + more) offers.set(requestId, counted + more);
    }
  }
  return offers;
}
