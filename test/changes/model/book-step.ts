import type { InputOf } from "../../../src/contract/operations.ts";
import type { UpdatedLine } from "../../../src/contract/schemas/confirm-step.ts";
import { lineKey } from "../play/apply-changes.ts";
import type { Factors } from "../sequences/factors.ts";
import { isLeftOut } from "./left-out.ts";
import {
  countedFor,
  isInEveryContent,
  type MemberOrder,
  mayHold,
  memberLine,
  type OrderGroup,
  sum,
} from "./order-group.ts";

export interface ShownModelLine {
  readonly key: string;
  readonly requestId: number;
}

/** Books one confirmed step and keeps what it shows. Gives the lines of its model, in the model's order. */
export function bookStep(needs: {
  readonly step: InputOf<"confirmStep"> | InputOf<"confirmCartStep">;
  readonly group: OrderGroup;
  readonly member: MemberOrder;
  readonly factors: Factors;
  readonly factorOf: (item: string) => number;
}): { readonly item: string; readonly model: readonly ShownModelLine[]; readonly isRetry: boolean } {
  const { step, group, member, factors, factorOf } = needs;
  const item = step.itemNumber ?? "";
  const requests = step.updateWorkOrderRequest?.itemRequests ?? undefined;

  const keyOf = (line: { id: number; externalId: string | null; item: string; lot: string | null }): string => {
    const byId = [...member.lines].find(([, { picks, shown }]) => picks.has(line.id) || shown?.has(line.id));
    // A step tells no lot: then the line of the item is meant, whatever its lot.
    const like = group.lines.has(lineKey(line))
      ? undefined
      : [...group.lines.values()].find(
          (other) => other.externalId === null && other.item === line.item && (line.lot === null || other.lot === null),
        );
    const key = line.externalId ? lineKey(line) : (byId?.[0] ?? like?.key ?? lineKey(line));
    if (!group.lines.has(key)) {
      // Shown by the platform, and no change by the external system: whatever is shown is right.
      const { externalId, lot } = line;
      const kept = group.keptAmounts.get(externalId ?? line.item) ?? group.keptAmounts.get(line.item);
      // An item's change is for all of its lines together; how those that turn up one by one share it is left open.
      if (kept !== undefined && [...group.lines.values()].some((other) => other.item === line.item)) {
        group.undecided = "a change of an item whose lines turn up later";
      }
      // Two changes of a line that nobody knew, one by its id and one by its item: which was later is left open.
      if (externalId !== null && group.keptAmounts.has(externalId) && group.keptAmounts.has(line.item)) {
        group.undecided = "changes of an unknown line by id and by item";
      }
      // By other ways, and neither shown before the push nor named by it: whether it is wanted is left open.
      if (kept === undefined && group.isPushed) group.undecided ??= "a line that turns up after the first push";
      const wanted = kept ?? (group.isCalledOffUnseen ? 0 : Number.POSITIVE_INFINITY);
      group.lines.set(key, {
        key,
        externalId,
        item: line.item,
        lot,
        factor: factorOf(line.item),
        wanted,
        shortPicked: 0,
      });
    }
    return key;
  };

  const model = (requests ?? []).map((line) => ({ line, ...keyOfModelLine(line, keyOf) }));
  for (const { key, requestId } of model) {
    const { picks } = memberLine(member, key);
    if (requestId === step.requestId || picks.has(requestId) || sum([...picks.values()]) === 0) continue;
    // Whether the platform counts what was picked before is told by the first step under the new id only.
    group.undecided ??= "a new request id that only a model has shown";
  }
  const id = step.requestId;
  const stepKey =
    model.find(({ requestId }) => requestId === id)?.key ??
    keyOf({ id, externalId: step.requestExternalIdentifier ?? null, item, lot: null });

  const own = memberLine(member, stepKey);
  const before = sum([...own.picks].filter(([other]) => other !== id).map(([, amount]) => amount));
  if (!own.picks.has(id) && before > 0) {
    const requested = step.requestAmountInBaseUnitOfMeasure ?? 0;
    const counted = requested - (step.requestRemainingAmountInBaseUnitOfMeasure ?? requested);
    own.carried.set(id, Math.min(Math.max(0, counted), before));
  }
  const isRetry = member.lastSteps.get(id) === JSON.stringify(step) && confirmedAmount(step) > 0;
  member.lastSteps.set(id, JSON.stringify(step));
  own.picks.set(id, (own.picks.get(id) ?? 0) + (isRetry ? 0 : confirmedAmount(step)));

  const isNotKept = !group.isChanged && isLeftOut("models-of-unchanged");
  if (requests === undefined || isNotKept) own.shown = new Map([[id, step.requestAmountInBaseUnitOfMeasure ?? 0]]);
  else {
    const keys = new Set(model.map(({ key }) => key));
    for (const key of keys) memberLine(member, key).shown = new Map();
    for (const { key, requestId, line } of model) {
      const kept = memberLine(member, key);
      kept.shown?.set(requestId, line.isCancelled === true ? countedFor(kept, requestId) : (line.requestedAmount ?? 0));
    }
    // Fetched without it.
    for (const key of group.lines.keys()) {
      // Begun before it had any content here: what it was served with later says nothing of what the platform has.
      const isByOtherWays = member.servedAtBegin === 0;
      if (keys.has(key) || !mayHold(member, key)) continue;
      if (!isByOtherWays && isInEveryContent(member.served, key)) {
        const ids = member.lines.get(key)?.shown?.keys() ?? [];
        // Dropped, or just not listed.
        if ([...ids].some((id) => member.lastOffer?.amounts.get(id) === 0))
          group.undecided ??= "a line that an answer had cancelled and a model does not list";
        continue;
      }
      memberLine(member, key).shown = new Map();
    }
  }
  for (const key of [stepKey, ...model.map((line) => line.key)]) factors.shown(group, member, key, key === stepKey);
  return { item, model, isRetry };
}

function keyOfModelLine(
  line: UpdatedLine,
  keyOf: (line: { id: number; externalId: string | null; item: string; lot: string | null }) => string,
): ShownModelLine {
  const requestId = line.requestId ?? 0;
  const externalId = line.externalIdentifier ?? null;
  return {
    requestId,
    key: keyOf({ id: requestId, externalId, item: line.itemNumber ?? "", lot: line.lotNumber ?? null }),
  };
}

export function confirmedAmount(step: object): number {
  const { amountToConfirmPickingSummary, amountToConfirmSummary, amountToConfirmPlacingInBaseUnitOfMeasure } =
    // A single step and a cart step name the same thing differently.
    step as InputOf<"confirmStep"> & InputOf<"confirmCartStep">;
  const shares = (amountToConfirmPickingSummary ?? amountToConfirmSummary)?.containersBreakdown ?? [];
  return (
    sum(shares.map((share) => share.amountToConfirmInBaseUnitOfMeasure ?? 0)) +
    (amountToConfirmPlacingInBaseUnitOfMeasure ?? 0)
  );
}
