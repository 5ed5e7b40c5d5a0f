import type { Check } from "../conformance-check.ts";
import { expectRead, expectResult, skipUnlessServed } from "../harness/knowledge.ts";
import { isObject, isSuccess, resultOf } from "../harness/recorded-exchange.ts";
import { inventedNumber } from "../harness/sample-input.ts";
import { sentences } from "../sentences.ts";
import { cartStepOf, orderToWorkWith, ownOrder, stepOf } from "./order-to-work-with.ts";

/** Results that an adapter may give for a container or an order. */
const attachAnswers = ["Success", "WorkOrderDoesNotExist", "ContainerDoesNotExist", "InvalidContainer"];

/**
 * Calls endpoints in sequence, as the floor does. An adapter may keep no state, so only contradictions are findings.
 */
export const floorChecks: readonly Check[] = [
  {
    // Must come first: the other checks work on a listed order, and a finished order may have left the adapter.
    id: "workflow.served-is-known",
    group: "workflow",
    title: "an order that was listed or found by scan is known to an attachment",
    level: "full",
    basis: sentences.servedIsKnown,
    hint: "Whoever attaches must know the orders of whoever lists and scans, also where those are two systems.",
    run: async (trial) => {
      const { order, isOwn } = await orderToWorkWith(trial, "KNOWN");
      const { number: workOrderNumber } = order;
      if (!isOwn && !trial.known.orders.includes(order)) {
        trial.skip("no order is listed; name one that a scan finds with --order");
      }
      const containerCode = inventedNumber(trial.runId, "KNOWN-BOX");
      const attach = { workOrderNumber, containerCode, isAbandonedOrCancelled: false };
      // A report without any data is allowed, because the report is a separate capability.
      const exchange = await trial.call("attachWorkOrder", attach);
      if (resultOf(exchange) === "WorkOrderDoesNotExist") {
        trial.complain(exchange, `order ${workOrderNumber} known, since this adapter has just served it`);
      }
      await trial.call("attachWorkOrder", { ...attach, isAbandonedOrCancelled: true });
    },
  },
  {
    id: "workflow.single-order",
    group: "workflow",
    title: "single-order picking: scan, attach, pick in two steps, report, release",
    level: "full",
    basis: sentences.workflows,
    hint: "No call of the row may call a regular request invalid.",
    run: async (trial) => {
      const atHand = await orderToWorkWith(trial, "SINGLE");
      const workOrderNumber = atHand.order.number;
      const containerCode = inventedNumber(trial.runId, "SINGLE-BOX");
      const requested = atHand.order.requests[0]?.requestedAmount ?? 1;
      const steps = [
        ["findWorkOrderByCode", { Code: workOrderNumber, StorageName: atHand.storage }],
        ["attachWorkOrder", { workOrderNumber, containerCode, isAbandonedOrCancelled: false }],
        ["confirmStep", stepOf(atHand, { line: 0, remaining: requested, amount: 1, container: containerCode })],
        ["confirmStep", stepOf(atHand, { line: 0, remaining: requested - 1, amount: requested - 1, container: null })],
        ["getReport", { workOrdersNumbers: [workOrderNumber], storageId: atHand.storage, remainingRequests: {} }],
        ["attachWorkOrder", { workOrderNumber, containerCode, isAbandonedOrCancelled: true }],
      ] as const;
      for (const [operation, input] of steps) {
        const exchange = await trial.call(operation, input);
        if (resultOf(exchange) !== "AdapterNotDefined") expectRead(trial, exchange, "a regular call");
      }
    },
  },
  {
    id: "workflow.put-wall",
    group: "workflow",
    title: "put wall: scan, place an amount, cancel an item",
    level: "full",
    basis: sentences.workflows,
    hint: "No call of the row may call a regular request invalid.",
    run: async (trial) => {
      const { order } = await orderToWorkWith(trial, "WALL");
      const itemNumber = order.requests[0]?.itemNumber ?? "";
      const placement = {
        workOrderNumber: order.number,
        itemNumber,
        completedAmount: 1,
        confirmedLocationName: "PW-1",
      };
      const steps = [
        ["findPutWallOrders", { code: order.deliveryNumber || order.number }],
        ["confirmPutWallPlacement", placement],
        ["cancelPutWallItem", { workOrderNumber: order.number, itemNumber: order.requests.at(-1)?.itemNumber ?? "" }],
      ] as const;
      for (const [operation, input] of steps) {
        const exchange = await trial.call(operation, input);
        if (resultOf(exchange) !== "AdapterNotDefined") expectRead(trial, exchange, "a regular call");
      }
    },
  },
  {
    id: "workflow.cart",
    group: "workflow",
    title: "multi-order picking with a cart: a step per container, then relocate",
    level: "full",
    basis: sentences.cartStep,
    hint: "The summary of a cart step is named amountToConfirmSummary.",
    run: async (trial) => {
      const atHand = await orderToWorkWith(trial, "CART");
      const { number, requests } = atHand.order;
      const containers = requests.slice(0, 2).map((_, index) => inventedNumber(trial.runId, `CART-BOX${index}`));
      for (const [line, container] of containers.entries()) {
        const remaining = requests[line]?.requestedAmount ?? 1;
        const step = cartStepOf(atHand, { line, remaining, amount: remaining, container });
        const exchange = await trial.call("confirmCartStep", step);
        if (resultOf(exchange) !== "AdapterNotDefined") expectRead(trial, exchange, "a cart step");
      }
      const relocations = containers.map((containerCode, line) => {
        const { itemNumber = "", requestedAmount = 1 } = requests[line] ?? {};
        const moved = [{ itemNumber, requestedAmount, completedAmount: requestedAmount }];
        return { containerCode, destinationLocationName: "DOCK-1", workOrder: { number, requests: moved } };
      });
      expectRead(trial, await trial.call("relocateCartContainers", relocations), "a relocation");
    },
  },
  {
    id: "workflow.attach-again",
    group: "workflow",
    title: "attaching the same pair again is no change",
    level: "full",
    basis: sentences.samePair,
    hint: "Compare with the container the order is on before refusing.",
    run: async (trial) => {
      const { order } = await orderToWorkWith(trial, "AGAIN");
      const attach = { workOrderNumber: order.number, containerCode: inventedNumber(trial.runId, "AGAIN-BOX") };
      const first = await trial.call("attachWorkOrder", attach);
      if (!expectResult(trial, first, [...attachAnswers, "WorkOrderAlreadyAttached", "OperationFailed"])) return;
      if (isSuccess(first))
        expectResult(trial, await trial.call("attachWorkOrder", attach), ["Success"], "for the same pair");
      await trial.call("attachWorkOrder", { ...attach, isAbandonedOrCancelled: true });
    },
  },
  {
    id: "workflow.attach-elsewhere",
    group: "workflow",
    title: "an order on a container is refused by its own name on another one",
    level: "full",
    basis: sentences.attachedElsewhere,
    hint: "WorkOrderAlreadyAttached; an adapter that keeps no containers may say Success.",
    run: async (trial) => {
      const { order } = await orderToWorkWith(trial, "ELSEWHERE");
      const workOrderNumber = order.number;
      const [one, other] = ["ONE", "OTHER"].map((name) => inventedNumber(trial.runId, `BOX-${name}`));
      const first = await trial.call("attachWorkOrder", { workOrderNumber, containerCode: one });
      skipUnlessServed(trial, first);
      if (!isSuccess(first)) trial.skip("the order could not be attached at all");
      const second = await trial.call("attachWorkOrder", { workOrderNumber, containerCode: other });
      expectResult(trial, second, ["WorkOrderAlreadyAttached", "Success"], "for an order on another container");
      for (const containerCode of [one, other, one]) {
        const released = await trial.call("attachWorkOrder", {
          workOrderNumber,
          containerCode,
          isAbandonedOrCancelled: true,
        });
        expectResult(trial, released, ["Success"], "for a release, also a repeated one");
      }
      const again = await trial.call("attachWorkOrder", { workOrderNumber, containerCode: other });
      expectResult(trial, again, ["Success"], "after the release");
      await trial.call("attachWorkOrder", { workOrderNumber, containerCode: other, isAbandonedOrCancelled: true });
    },
  },
  {
    id: "workflow.container-taken",
    group: "workflow",
    title: "a container with another order on it is refused by its own name",
    level: "full",
    basis: sentences.containerTaken,
    hint: "ContainerAlreadyAttached; an adapter that keeps no containers may say Success.",
    run: async (trial) => {
      const orders = [await ownOrder(trial, "TAKEN1"), await ownOrder(trial, "TAKEN2")].map(
        ({ order }) => order.number,
      );
      const containerCode = inventedNumber(trial.runId, "BOX-TAKEN");
      const [first, second] = [
        await trial.call("attachWorkOrder", { workOrderNumber: orders[0], containerCode }),
        await trial.call("attachWorkOrder", { workOrderNumber: orders[1], containerCode }),
      ];
      skipUnlessServed(trial, first);
      if (!isSuccess(first)) trial.skip("the order could not be attached at all");
      expectResult(trial, second, ["ContainerAlreadyAttached", "Success"], "for a container with another order on it");
    },
  },
  {
    id: "workflow.begun",
    group: "workflow",
    title: "a started order is no longer listed, but a scan still finds it",
    level: "full",
    basis: sentences.available,
    hint: "Two people would start the same order; and the one who has it must be able to scan it again.",
    run: async (trial) => {
      const atHand = await ownOrder(trial, "BEGUN");
      const { number } = atHand.order;
      const isListed = async () => {
        const { answer } = await trial.call("listWorkOrders");
        const data = answer?.["data"];
        return Array.isArray(data) && data.some((one) => isObject(one) && one["number"] === number);
      };
      if (!(await isListed())) trial.skip("the pushed order is not listed");
      const step = await trial.call(
        "confirmStep",
        stepOf(atHand, { line: 0, remaining: 5, amount: 1, container: null }),
      );
      skipUnlessServed(trial, step);
      const list = await trial.call("listWorkOrders");
      if (await isListed()) trial.complain(list, `a list without ${number}, which is being picked`);
      const scan = await trial.call("findWorkOrderByCode", { Code: number, StorageName: atHand.storage });
      expectResult(trial, scan, ["Succeed"], "for an order that is being picked");
    },
  },
];
