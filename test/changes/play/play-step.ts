import { isDeepStrictEqual } from "node:util";
import type { UpdateWorkOrderRequest } from "../../../src/contract/schemas/confirm-step.ts";
import { isLeftOut } from "../model/left-out.ts";
import {
  isAtWall,
  isInEveryContent,
  type MemberOrder,
  mayHold,
  type OrderGroup,
  shownOf,
} from "../model/order-group.ts";
import type { Stage } from "../sequences/run-sequence.ts";
import { lineKey } from "./apply-changes.ts";
import type { Command } from "./commands.ts";
import { type Copy, type CopyLine, modelOf, takeOver } from "./platform.ts";
import { orderNumber, pushedOrder } from "./pushed-order.ts";

type StepCommand = Extract<Command, { kind: "step" }>;

/** One confirmed step of the simulated platform, which begins the order where it has not begun. */
export async function playStep(command: StepCommand, stage: Stage): Promise<void> {
  const group = stage.model.groups.get(orderNumber(stage, command.order));
  const members = group?.members ?? [];
  const member = members[command.member % Math.max(1, members.length)];
  const number = member?.number ?? orderNumber(stage, command.order);
  // An order that is over, or sorted at the put wall, is not picked by steps.
  if (member?.state === "ended" || (member !== undefined && isAtWall(member))) return;
  if (isLeftOut("begun-cancelled") && member?.state === "waiting" && member.content.size === 0) return;
  const copy = stage.platform.copies.get(number) ?? (await begin(command, stage, number, group));
  const line = copy?.lines[command.line % Math.max(1, copy.lines.length)];
  if (copy === undefined || line === undefined || line.isCancelled) return;
  const amount = amountOf(command, stage, line, group?.isPushed === true);
  if (amount === undefined) return;

  const mustSend = mustSendModel(copy, group, member) || hasTwins(stage, command.order);
  const hasModel = copy.unsaid.size === 0 && (command.hasModel || mustSend);
  // Where only a whole model tells which lines the platform has, one that lists a part would say that the others are gone.
  // The same of an order that came by other ways: no version of it was served that its lines could be known by.
  const isServed =
    member !== undefined && group?.isPushed === true && (member.state === "waiting" || member.servedAtBegin > 0);
  const isPartial = command.isPartial === true && !mustSend && isServed;
  const received = hasModel ? modelOf(isPartial ? { ...copy, lines: [line] } : copy) : null;
  const topic = command.isCart ? "confirmCartStep" : "confirmStep";
  const body = stepBody(command, { number, line, amount, received });
  // Nobody can tell the same step once more from a retry.
  const isSame = isDeepStrictEqual(copy.lastStep?.body, body);
  const offer = stage.send(topic, body, received);
  copy.lastStep = { topic, body, received };
  if (!isSame) line.counted += amount;
  copy.unsaid.delete(line.id);
  if (offer === null) return;
  if (command.offer === "apply" || command.offer === "replace") takeOver(copy, offer);
  else if (command.offer === "later") copy.offer = offer;
}

async function begin(
  command: StepCommand,
  stage: Stage,
  number: string,
  group: OrderGroup | undefined,
): Promise<Copy | undefined> {
  const { platform } = stage;
  if (group?.isPushed !== true) {
    // Known to the platform by other ways. Only pieces: no content was served that a factor could follow from.
    // With all lines that the external system will name, or with the first of them only.
    const order = pushedOrder(stage, command.order, command.isStale ? [5, 5, 5] : [5]);
    if (isLeftOut("early-steps")) return undefined;
    // Before the push nothing says which of several lines of an item a line without an id is.
    const items = order.requests.filter((line) => !line.requestExternalIdentifier).map((line) => line.itemNumber);
    if (items.some((item) => order.requests.filter((line) => line.itemNumber === item).length > 1)) return undefined;
    return order.requests.some(({ unitOfMeasure }) => unitOfMeasure === 1) ? undefined : platform.begin(order);
  }
  const order = platform.fetchedOf(number, command.isStale) ?? (await stage.scan(number));
  return order === undefined ? undefined : platform.begin(order);
}

function amountOf(command: StepCommand, stage: Stage, line: CopyLine, isPushed: boolean): number | undefined {
  const remaining = line.requested - line.counted;
  const factor = stage.factorOf(line.item);
  // Whether an order is offered that was picked to the end before it was pushed is left open.
  if (!isPushed) return remaining > 1 ? Math.min(command.amount, remaining - 1) : undefined;
  if (remaining <= 0 && command.how !== "too-many") return undefined;
  switch (command.how) {
    case "all":
      return remaining;
    case "too-many":
      return Math.max(0, remaining) + factor;
    case "half":
      return Math.min(remaining, command.amount * factor + (factor > 1 ? factor / 2 : 0));
    default:
      return Math.min(remaining, command.amount * factor);
  }
}

/** Without a model nobody could tell which line the step is of, or whether the platform has a line at all. */
function mustSendModel(copy: Copy, group: OrderGroup | undefined, member: MemberOrder | undefined): boolean {
  const isAmbiguous = copy.lines.some(
    (line) => line.externalId === null && copy.lines.filter(({ item }) => item === line.item).length > 1,
  );
  if (isAmbiguous || copy.lines.some(({ externalId, lot }) => externalId === null && lot !== null)) return true;
  if (group === undefined || member === undefined || group.lines.size < 2) return false;
  return [...group.lines.keys()].some(
    (key) => mayHold(member, key) && shownOf(member, key) === undefined && !isInEveryContent(member.served, key),
  );
}

/** Lines that nothing tells apart: a step of one of them does not say whether the platform has fetched the others. */
function hasTwins(stage: Stage, order: number): boolean {
  const keys = pushedOrder(stage, order, [1, 1, 1]).requests.map(
    ({ itemNumber: item, lotNumber: lot, requestExternalIdentifier: externalId }) =>
      lineKey({ item, lot: lot ?? null, externalId: externalId ?? null }),
  );
  return new Set(keys).size < keys.length;
}

function stepBody(
  command: StepCommand,
  {
    number,
    line,
    amount,
    received,
  }: { number: string; line: CopyLine; amount: number; received: UpdateWorkOrderRequest | null },
): object {
  const half = Math.floor(amount / 2);
  const shares = command.amount % 2 === 0 && half > 0 ? [half, amount - half] : [amount];
  const summary = {
    locationName: `R${command.line}`,
    containersBreakdown: shares.map((share, index) => ({
      ...{ containerCode: index === 0 ? "T1" : null, amountToConfirmInBaseUnitOfMeasure: share },
    })),
  };
  return {
    ...{ storageName: "Hall", workOrderNumber: number, requestId: line.id, requestType: 1 },
    ...(line.externalId === null ? {} : { requestExternalIdentifier: line.externalId }),
    requestAmountInBaseUnitOfMeasure: line.requested,
    requestRemainingAmountInBaseUnitOfMeasure: Math.max(0, line.requested - line.counted),
    ...(received === null ? {} : { updateWorkOrderRequest: received }),
    ...{ itemNumber: line.item, itemUnitOfMeasure: line.unit },
    ...(command.isCart ? { amountToConfirmSummary: summary } : { amountToConfirmPickingSummary: summary }),
  };
}
