import type { InputOf, TellId } from "../contract/operations.ts";
import type { ConfirmCartStep, ConfirmStep, PickingSummary } from "../contract/schemas/confirm-step.ts";
import type { RepeatRule } from "../journal/entry.ts";
import { lanesOfTell } from "./lanes.ts";

type Rule = Pick<RepeatRule, "keys" | "when">;

/**
 * Events carry no id, so a retry of the platform is recognised by what it says. A step leaves a remaining amount
 * that the next one cannot have, and a line is cancelled once: equal content is enough. Attach, relocate and
 * status are states: the same state again is no change. A put-wall amount may really happen twice alike, so it is
 * a retry only while its answer is not known to have arrived; dropping a real one would lose a piece.
 */
const rules: { readonly [Id in TellId]: (input: InputOf<Id>) => Rule } = {
  confirmStep: (step) => stepRule(step, confirmedAmount(step.amountToConfirmPickingSummary) + placed(step)),
  confirmCartStep: (step) => stepRule(step, confirmedAmount(step.amountToConfirmSummary)),
  cancelWorkOrderRequest: ({ workOrderNumber, request, requestExternalIdentifier }) => ({
    keys: [`${workOrderNumber}|${request?.requestId ?? `x:${requestExternalIdentifier ?? ""}`}`],
    when: "always",
  }),
  confirmPutWallPlacement: ({ workOrderNumber }) => ({ keys: [workOrderNumber], when: "unanswered" }),
  cancelPutWallItem: ({ workOrderNumber }) => ({ keys: [workOrderNumber], when: "unanswered" }),
  attachWorkOrder: (input) => ({ keys: lanesOfTell("attachWorkOrder", input), when: "always" }),
  relocateCartContainers: (input) => ({ keys: lanesOfTell("relocateCartContainers", input), when: "always" }),
  changeStatus: ({ number }) => ({ keys: [number], when: "always" }),
};

const stepRule = (step: ConfirmStep | ConfirmCartStep, amount: number): Rule => ({
  keys: [`${step.workOrderNumber}|${step.requestId}`],
  // A confirmation of nothing changes no remaining amount: two of them in a row look alike.
  when: amount > 0 ? "always" : "unanswered",
});

const confirmedAmount = (summary: PickingSummary | null | undefined): number =>
  (summary?.containersBreakdown ?? []).reduce((sum, share) => sum + (share.amountToConfirmInBaseUnitOfMeasure ?? 0), 0);

const placed = (step: ConfirmStep): number => step.amountToConfirmPlacingInBaseUnitOfMeasure ?? 0;

const idempotencyKeyWindowMs = 7 * 24 * 3600 * 1000;

/** Undefined where nothing can identify the event, such as a relocation of nothing. */
export function repeatRule(
  id: TellId,
  input: unknown,
  { windowMs, idempotencyKey }: { windowMs: number; idempotencyKey: string | undefined },
): RepeatRule | undefined {
  // The sender knows better than any guess.
  if (idempotencyKey !== undefined) {
    return { keys: [`key|${id}|${idempotencyKey}`], when: "always", windowMs: idempotencyKeyWindowMs };
  }
  // The input was checked against the schema of this very row.
  const { keys, when } = (rules[id] as (input: unknown) => Rule)(input);
  return keys.length === 0 ? undefined : { keys: keys.map((key) => `${id}|${key}`), when, windowMs };
}
