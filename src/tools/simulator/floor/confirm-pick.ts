import { RequestType } from "../../../contract/enums.ts";
import type { InputOf } from "../../../contract/operations.ts";
import type { PickingSummary, UpdateWorkOrderRequest } from "../../../contract/schemas/confirm-step.ts";
import { bookStep } from "../changes/book-work.ts";
import { expectOffer, noteStep } from "../changes/expect-order.ts";
import { expectWarning, noteAnnounced } from "../changes/expect-warning.ts";
import { isChanged } from "../changes/simulated-order-group.ts";
import { applyUpdate, openAmount, type RunningLine, type RunningOrder, updateModel } from "../orders/running-order.ts";
import { type Operator, orderGroupOf } from "./operator.ts";

interface Handful {
  readonly running: RunningOrder;
  readonly line: RunningLine;
  readonly amount: number;
  readonly containers: readonly [string | null, ...(string | null)[]];
  readonly isCart: boolean;
}

/** A step as it happened on the floor. Its bytes are fixed at that moment. */
export interface Pick {
  readonly running: RunningOrder;
  readonly line: RunningLine;
  readonly amount: number;
  readonly location: string;
  readonly input:
    | { readonly id: "confirmStep"; readonly body: InputOf<"confirmStep"> }
    | { readonly id: "confirmCartStep"; readonly body: InputOf<"confirmCartStep"> };
}

/** Picks goods. The confirmed amount is decided here, before anything is sent. */
export function takePick(operator: Operator, { running, line, amount, containers, isCart }: Handful): Pick {
  const shared = stepBody({ running, line, storage: operator.storage, email: operator.email });
  const isPlacing = line.type === RequestType.PlaceItem && !isCart;
  const location = isPlacing ? placeOf(operator, running, line) : shelfOf(operator, line);
  const summary = pickingSummary(line, location, split(amount, containers));
  line.picked += amount;
  if (isCart) {
    const body = { ...shared, amountToConfirmSummary: summary };
    return { running, line, amount, location, input: { id: "confirmCartStep", body } };
  }
  const body = isPlacing
    ? { ...shared, amountToConfirmPickingSummary: null, amountToConfirmPlacingInBaseUnitOfMeasure: amount }
    : { ...shared, amountToConfirmPickingSummary: summary, amountToConfirmPlacingInBaseUnitOfMeasure: null };
  return { running, line, amount, location, input: { id: "confirmStep", body } };
}

/** The bin that the external system has chosen, or where the item usually is. */
export const shelfOf = (operator: Operator, line: RunningLine): string =>
  line.designatedLocation ?? operator.locationOf(line.itemNumber);

/** A placing step names only the storage. The adapter knows the location only of an order that it has served itself. */
const placeOf = (operator: Operator, { source }: RunningOrder, line: RunningLine): string =>
  (source === "list" ? line.designatedLocation : null) ?? operator.storage;

function split(amount: number, containers: readonly (string | null)[]): [string | null, number][] {
  const share = Math.floor(amount / containers.length);
  return containers.map((code, index) => [code, index === 0 ? amount - share * (containers.length - 1) : share]);
}

/** Confirms a pick and applies the update in the answer. Returns false if the adapter refused. */
export async function confirmPick(operator: Operator, pick: Pick): Promise<boolean> {
  const { running, line, amount, location, input } = pick;
  const order = running.order.number;
  const about = { orders: [order], what: `line ${line.requestId}, ${amount} of ${line.itemNumber} at ${location}` };
  const answer =
    input.id === "confirmStep"
      ? await operator.call("confirmStep", input.body, about)
      : await operator.call("confirmCartStep", input.body, about);
  if (!answer.ok) {
    if (answer.result !== "AdapterNotDefined") {
      operator.tally.note({
        kind: "answer",
        order,
        item: line.itemNumber,
        text: "a confirmed step was refused; the operator stands there with the goods in hand",
        expected: "Success",
        found: `${answer.result} ${answer.message ?? ""}`.trim(),
        calls: operator.records.of(order).calls,
      });
    }
    return false;
  }
  operator.records.event(order, input.id);
  running.steps++;
  operator.records.place(order, line.itemNumber, location, amount);
  operator.records.take(order, { item: line.itemNumber, lot: line.lot, location }, amount / line.factor);
  const update = answer.data?.updateWorkOrderRequest ?? null;
  checkAnswer(operator, pick, { update, message: answer.message });
  if (update !== null) take(operator, running, update);
  return true;
}

/** Checks whether the answer contains what the external system wants by now. */
function checkAnswer(
  operator: Operator,
  { running, line, amount, input }: Pick,
  answer: { readonly update: UpdateWorkOrderRequest | null; readonly message: string | null },
): void {
  const order = running.order.number;
  const orderGroup = orderGroupOf(operator, order);
  const model = input.body.updateWorkOrderRequest ?? null;
  if (orderGroup === null || model === null) return;
  const step = { running, model, ...answer, member: bookStep(orderGroup, { running, line, amount, model }) };
  noteStep(orderGroup, `line ${line.requestId}, ${amount} of ${line.itemNumber}`, step);
  if (!isChanged(orderGroup)) {
    noteAnnounced(orderGroup, order, answer.message);
    return;
  }
  expectOffer(orderGroup, step, operator.tally);
  if (operator.isChanging)
    expectWarning(orderGroup, { item: line.itemNumber, order, message: answer.message }, operator.tally);
}

/** Applies an update at once, as in the contract, or later, if the day's plan says so. */
function take(operator: Operator, running: RunningOrder, update: UpdateWorkOrderRequest): void {
  const { ignoresOffers = false, lateSteps = 0 } = orderGroupOf(operator, running.order.number)?.plan ?? {};
  if (ignoresOffers) operator.tally.countChange("ignore-offer");
  else if (lateSteps > 0) {
    operator.tally.countChange("late-offer");
    // An update that already waits keeps its due step and gets the newer content.
    running.late = { update, stepsLeft: running.late?.stepsLeft ?? lateSteps + 1 };
  } else applyUpdate(running, update);
}

/** How much the operator picks at once: mostly everything, sometimes in two or three parts. */
export function nextAmount(operator: Operator, line: RunningLine): number {
  const open = openAmount(line);
  return open > 1 && operator.random.chance(0.25) ? operator.random.whole(1, open - 1) : open;
}

interface StepFacts {
  readonly running: RunningOrder;
  readonly line: RunningLine;
  readonly storage: string;
  readonly email: string;
}

type SharedStep = Omit<InputOf<"confirmCartStep">, "amountToConfirmSummary">;

/** All members of a step except the amount. `remaining` is the amount that was open before the step. */
function stepBody({ running, line, storage, email }: StepFacts): SharedStep {
  const { order } = running;
  return {
    storageName: storage,
    userEmail: email,
    workOrderNumber: order.number,
    workOrderExternalIdentifier: order.externalIdentifier ?? null,
    workOrderExternalData: order.externalData ?? null,
    workOrderDescription: order.description ?? null,
    alternativeStartNumber: order.alternativeStartNumber ?? null,
    workOrderTypeName: order.workOrderTypeName ?? null,
    requestId: line.requestId,
    requestType: line.type,
    requestExternalIdentifier: line.externalId,
    requestRemainingAmountInBaseUnitOfMeasure: line.requested - line.picked,
    requestAmountInBaseUnitOfMeasure: line.requested,
    updateWorkOrderRequest: updateModel(running),
    itemNumber: line.itemNumber,
    itemNames: [{ languageIsoCode: "en", name: line.itemName ?? line.itemNumber, isDefault: true }],
    itemUnitOfMeasure: line.unit,
  };
}

/** One entry per container; null is the virtual container. */
const pickingSummary = (
  line: RunningLine,
  locationName: string,
  shares: readonly (readonly [containerCode: string | null, amount: number])[],
): PickingSummary => ({
  locationName,
  containersBreakdown: shares.map(([containerCode, amount]) => ({
    containerCode,
    amountToConfirmInBaseUnitOfMeasure: amount,
    itemUnitOfMeasure: line.unit,
  })),
});
