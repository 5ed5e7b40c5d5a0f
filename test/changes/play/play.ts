import { isLeftOut } from "../model/left-out.ts";
import { isAtWall, type MemberOrder, mayHold, type OrderGroup, pickedOf, shownOf } from "../model/order-group.ts";
import { stillWanted } from "../model/reconcile.ts";
import type { Stage } from "../sequences/run-sequence.ts";
import type { Command } from "./commands.ts";
import { takeOver } from "./platform.ts";
import { playStep } from "./play-step.ts";
import { indexIn, orderNumber, pushedOrder } from "./pushed-order.ts";

/** The order or follow-up that a command means, where the model knows it. */
function chosen(
  stage: Stage,
  { order, member }: { order: number; member: number },
): { readonly group: OrderGroup; readonly member: MemberOrder } | undefined {
  const group = stage.model.groups.get(orderNumber(stage, order));
  const found = group?.members[indexIn(group.members.length, member)];
  return group === undefined || found === undefined ? undefined : { group, member: found };
}

/** Nothing of it is wanted any more. */
const isCalledOff = (group: OrderGroup): boolean => [...group.lines.values()].every((line) => stillWanted(line) === 0);

/** Plays one command, or leaves it out where it does not fit or behaviour.md leaves open what it means. */
export async function play(command: Command, stage: Stage): Promise<void> {
  const { platform, send, model } = stage;
  switch (command.kind) {
    case "push": {
      stage.pushed.set(indexIn(stage.orders.length, command.order), command.amounts);
      send("workOrders", pushedOrder(stage, command.order, command.amounts));
      return;
    }
    case "push-same": {
      const index = indexIn(stage.orders.length, command.order);
      const amounts = stage.pushed.get(index) ?? (stage.orders[index] ?? []).map(({ amount }) => amount);
      stage.pushed.set(index, amounts);
      send("workOrders", pushedOrder(stage, command.order, amounts));
      return;
    }
    case "push-follow-up": {
      const group = model.groups.get(orderNumber(stage, command.order));
      const others = group?.members.slice(1) ?? [];
      const member = others[indexIn(others.length, command.member + others.length - 1)];
      if (member === undefined) return;
      send("workOrders", { ...pushedOrder(stage, command.order, command.amounts), number: member.number });
      return;
    }
    case "cancel":
      return playCancellation(command, stage);
    case "restart":
      return stage.restart();
    case "wait":
      stage.wait(command.minutes);
      send("stock", { itemNumber: `${stage.prefix}S`, amount: 1 });
      return;
    case "step":
      return await playStep(command, stage);
  }
  const place = chosen(stage, command);
  if (place === undefined) {
    if (command.kind === "attach")
      send("attachWorkOrder", attachment(stage, orderNumber(stage, command.order), command));
    return;
  }
  const { group, member } = place;
  const { number } = member;
  const copy = platform.copies.get(number);
  const line = "line" in command ? copy?.lines[indexIn(copy.lines.length, command.line)] : undefined;
  switch (command.kind) {
    case "fetch": {
      const order = await stage.scan(number);
      if (order !== undefined && member.state === "waiting") platform.fetch(order);
      return;
    }
    case "retry": {
      // At once, as the platform does; what comes later is another step.
      const step = copy?.lastStep;
      if (step !== undefined && stage.lastSent() === step.body && member.state === "running") {
        send(step.topic, step.body, step.received);
      }
      return;
    }
    case "apply-offer":
      if (copy?.offer !== undefined) takeOver(copy, copy.offer);
      return;
    case "scan-again": {
      const order = await stage.scan(number);
      if (order !== undefined && copy !== undefined && member.state === "running") {
        platform.beginAgain(order, copy, command.isCarriedOver);
      }
      return;
    }
    case "short-pick": {
      if (copy === undefined || line === undefined || line.isCancelled || member.state !== "running") return;
      if (!member.lines.get(line.key)?.shown?.has(line.id)) return;
      line.isCancelled = true;
      const request = {
        ...{ requestId: line.id, itemNumber: line.item, isCancelled: true, type: 1 },
        ...{ requestedAmountInBaseUnitOfMeasure: line.requested, completedAmountInBaseUnitOfMeasure: line.counted },
      };
      const externalId = line.externalId === null ? {} : { requestExternalIdentifier: line.externalId };
      send("cancelWorkOrderRequest", { workOrderNumber: number, ...externalId, request });
      return;
    }
    case "place": {
      if (isLeftOut("put-wall")) return;
      const spec = [...group.lines.values()][indexIn(group.lines.size, command.line)];
      const isWaiting = member.state === "waiting" && member.content.size > 0;
      if (!group.isPushed || spec === undefined || !(isWaiting || member.state === "running")) return;
      // Goods of a line that the order cannot have are no business of the wall's.
      if (!mayHold(member, spec.key)) return;
      // Begun by steps, and nothing of the item picked: whether that is sorting is left open.
      const isBegunBySteps = member.steps > 0;
      if (isBegunBySteps && (pickedOf(member, spec.key) === 0 || isLeftOut("sorting"))) return;
      send("confirmPutWallPlacement", {
        ...{ workOrderNumber: number, itemNumber: spec.item, completedAmount: command.amount },
        confirmedLocationName: `W${command.line}`,
      });
      return;
    }
    case "cancel-wall": {
      const spec = [...group.lines.values()][indexIn(group.lines.size, command.line)];
      if (spec === undefined || member.state !== "running" || !isAtWall(member)) return;
      send("cancelPutWallItem", { workOrderNumber: number, itemNumber: spec.item });
      return;
    }
    case "attach": {
      const isOpen = member.state === "running" || (member.state === "waiting" && member.content.size > 0);
      if (group.isPushed && !isOpen) return;
      send("attachWorkOrder", attachment(stage, number, command));
      return;
    }
    case "release":
      // Whether that ends a cancelled order, and what a blank code means here, is left open.
      if (command.container === 3 || (member.state === "running" && isCalledOff(group))) return;
      send("attachWorkOrder", { ...attachment(stage, number, command), isAbandonedOrCancelled: true });
      return;
    case "status": {
      if (member.state !== "running" || !group.isPushed) return;
      const isPicked = [...member.lines.keys()].some((key) => pickedOf(member, key) > 0);
      const isAttached = [...model.containers.values()].includes(number);
      if (command.status === 5 && (isPicked || isAttached || isCalledOff(group))) return;
      const isUnsure = [...group.lines.values()].some(
        (one) => stillWanted(one) > 0 && shownOf(member, one.key) === undefined,
      );
      if (command.status !== 2 && command.status !== 5 && isUnsure) return;
      if (command.status === 5) platform.copies.delete(number);
      send("changeStatus", { number, status: command.status });
      return;
    }
  }
}

const attachment = (stage: Stage, workOrderNumber: string, { container }: { readonly container: number }) => ({
  workOrderNumber,
  containerCode: container === 3 ? " " : `${stage.prefix}C${container}`,
});

function playCancellation(command: Extract<Command, { kind: "cancel" }>, stage: Stage): void {
  const lines = stage.orders[indexIn(stage.orders.length, command.order)] ?? [];
  const index = indexIn(lines.length, command.line);
  const line = lines[index];
  if (line === undefined) return;
  const { scope, amount } = command;
  const ofOrder = orderNumber(stage, command.order);
  const followUp = stage.model.groups.get(ofOrder)?.members[command.member ?? 0]?.number;
  const workOrderNumber = scope === "unknown-order" ? `${stage.prefix}9` : (followUp ?? ofOrder);
  const lowered = amount === 0 ? {} : { requestedAmount: amount };
  if (scope === "order") stage.send("cancellations", { workOrderNumber });
  else if (scope === "unknown-line")
    stage.send("cancellations", { workOrderNumber, requestExternalIdentifier: "L9", ...lowered });
  else if (scope === "line" && (line.hasExternalId || isLeftOut("mixed-lines"))) {
    stage.send("cancellations", { workOrderNumber, requestExternalIdentifier: `L${index + 1}`, ...lowered });
  } else stage.send("cancellations", { workOrderNumber, itemNumber: stage.itemName(line.item), ...lowered });
}
