import type { Phase } from "../changes/change-plan.ts";
import { followUpNumber } from "../changes/family.ts";
import { speakDue } from "../changes/speak.ts";
import type { RunningOrder } from "../orders/running-order.ts";
import type { Desk } from "./desk.ts";
import { familyOf } from "./family-of.ts";

/** The external system changes its mind at this moment, where the day's plan has it. */
export async function speakUp(
  desk: Desk,
  { order, steps }: Pick<RunningOrder, "order" | "steps">,
  phase: Phase,
): Promise<void> {
  const family = familyOf(desk, order.number);
  if (family === null) return;
  const isFollowUp = order.number !== family.number && followUpNumber.test(order.number);
  // Whatever happens to a follow-up happens to the order it follows; half of the changes meet it before its first step.
  const at = isFollowUp
    ? ({ phase: "follow-up", steps: 2 * steps + (phase === "during" ? 1 : 0) } as const)
    : { phase, steps };
  await speakDue(
    { push: desk.push, items: desk.itemList, onSpoken: (kind) => desk.tally.countChange(kind) },
    family,
    at,
  );
}
