import type { ShownModelLine } from "../model/book-step.ts";
import { countedFor, type MemberOrder, type OrderGroup, pickedOf } from "../model/order-group.ts";
import { type IsFactorKnown, stillWanted, targetsOf } from "../model/reconcile.ts";

/** The lines of a received model that are to be lowered: request id and amount, 0 for a cancelled one. */
export function offersFor(needs: {
  readonly group: OrderGroup;
  readonly member: MemberOrder;
  readonly model: readonly ShownModelLine[];
  readonly isKnown: IsFactorKnown;
}): ReadonlyMap<number, number> {
  const { group, member, model, isKnown } = needs;
  const offers = new Map<number, number>();
  if (!group.isChanged) return offers;
  for (const key of new Set(model.map((line) => line.key))) {
    const wanted = group.lines.get(key);
    const line = member.lines.get(key);
    if (wanted === undefined || line?.shown === undefined) continue;
    if (!isKnown(group, member, key) && stillWanted(wanted) > 0) continue;
    let spare = (targetsOf(group, wanted).targets.get(member) ?? 0) - pickedOf(member, key);
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
