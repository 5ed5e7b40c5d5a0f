import type { InputOf } from "../../../src/contract/operations.ts";
import type { UpdatedLine } from "../../../src/contract/schemas/confirm-step.ts";
import { lineKey } from "../play/words.ts";
import type { Factors } from "../sequences/factors.ts";
import { type Carrier, carrierLine, countedFor, type Family, isInEveryContent, mayHold, sum } from "./family.ts";
import { isLeftOut } from "./left-out.ts";

export interface ShownModelLine {
  readonly key: string;
  readonly requestId: number;
}

/** Books one confirmed step and keeps what it shows. Gives the lines of its model, in the model's order. */
export function bookStep(needs: {
  readonly step: InputOf<"confirmStep"> | InputOf<"confirmCartStep">;
  readonly family: Family;
  readonly carrier: Carrier;
  readonly factors: Factors;
  readonly factorOf: (item: string) => number;
}): { readonly item: string; readonly model: readonly ShownModelLine[]; readonly isRetry: boolean } {
  const { step, family, carrier, factors, factorOf } = needs;
  const item = step.itemNumber ?? "";
  const requests = step.updateWorkOrderRequest?.itemRequests ?? undefined;

  const keyOf = (line: { id: number; externalId: string | null; item: string; lot: string | null }): string => {
    const byId = [...carrier.lines].find(([, { picks, shown }]) => picks.has(line.id) || shown?.has(line.id));
    // A step tells no lot: then the line of the item is meant, whatever its lot.
    const like = family.lines.has(lineKey(line))
      ? undefined
      : [...family.lines.values()].find(
          (other) => other.externalId === null && other.item === line.item && (line.lot === null || other.lot === null),
        );
    const key = line.externalId ? lineKey(line) : (byId?.[0] ?? like?.key ?? lineKey(line));
    if (!family.lines.has(key)) {
      // Shown by the platform, and no word of the external system on it: whatever is shown is right.
      const { externalId, lot } = line;
      const word = family.keptWords.get(externalId ?? line.item) ?? family.keptWords.get(line.item);
      // An item's word is for all of its lines together; how those that turn up one by one share it is left open.
      if (word !== undefined && [...family.lines.values()].some((other) => other.item === line.item)) {
        family.openQuery = "a word on an item whose lines turn up later";
      }
      // Two words on a line that nobody knew, one by its id and one by its item: which was later is left open.
      if (externalId !== null && family.keptWords.has(externalId) && family.keptWords.has(line.item)) {
        family.openQuery = "words on an unknown line by id and by item";
      }
      // By other ways, and neither shown before the push nor named by it: whether it is wanted is left open.
      if (word === undefined && family.isPushed) family.openQuery ??= "a line that turns up after the first push";
      const wanted = word ?? (family.isCalledOffUnseen ? 0 : Number.POSITIVE_INFINITY);
      family.lines.set(key, { key, externalId, item: line.item, lot, factor: factorOf(line.item), wanted, cut: 0 });
    }
    return key;
  };

  const model = (requests ?? []).map((line) => ({ line, ...keyOfModelLine(line, keyOf) }));
  for (const { key, requestId } of model) {
    const { picks } = carrierLine(carrier, key);
    if (requestId === step.requestId || picks.has(requestId) || sum([...picks.values()]) === 0) continue;
    // Whether the platform counts what was picked before is told by the first step under the new id only.
    family.openQuery ??= "a new request id that only a model has shown";
  }
  const id = step.requestId;
  const stepKey =
    model.find(({ requestId }) => requestId === id)?.key ??
    keyOf({ id, externalId: step.requestExternalIdentifier ?? null, item, lot: null });

  const own = carrierLine(carrier, stepKey);
  const before = sum([...own.picks].filter(([other]) => other !== id).map(([, amount]) => amount));
  if (!own.picks.has(id) && before > 0) {
    const requested = step.requestAmountInBaseUnitOfMeasure ?? 0;
    const counted = requested - (step.requestRemainingAmountInBaseUnitOfMeasure ?? requested);
    own.carried.set(id, Math.min(Math.max(0, counted), before));
  }
  const isRetry = carrier.lastSteps.get(id) === JSON.stringify(step) && confirmedAmount(step) > 0;
  carrier.lastSteps.set(id, JSON.stringify(step));
  own.picks.set(id, (own.picks.get(id) ?? 0) + (isRetry ? 0 : confirmedAmount(step)));

  const isNotKept = !family.isChanged && isLeftOut("models-of-unchanged");
  if (requests === undefined || isNotKept) own.shown = new Map([[id, step.requestAmountInBaseUnitOfMeasure ?? 0]]);
  else {
    const keys = new Set(model.map(({ key }) => key));
    for (const key of keys) carrierLine(carrier, key).shown = new Map();
    for (const { key, requestId, line } of model) {
      const kept = carrierLine(carrier, key);
      kept.shown?.set(requestId, line.isCancelled === true ? countedFor(kept, requestId) : (line.requestedAmount ?? 0));
    }
    // Fetched without it.
    for (const key of family.lines.keys()) {
      // Begun before it had any content here: what it was served with later says nothing of what the platform has.
      const isByOtherWays = carrier.servedAtBegin === 0;
      if (keys.has(key) || !mayHold(carrier, key)) continue;
      if (!isByOtherWays && isInEveryContent(carrier.served, key)) {
        const ids = carrier.lines.get(key)?.shown?.keys() ?? [];
        // Dropped, or just not listed.
        if ([...ids].some((id) => carrier.lastOffer?.amounts.get(id) === 0))
          family.openQuery ??= "a line that an answer had cancelled and a model does not list";
        continue;
      }
      carrierLine(carrier, key).shown = new Map();
    }
  }
  for (const key of [stepKey, ...model.map((line) => line.key)]) factors.shown(family, carrier, key, key === stepKey);
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
