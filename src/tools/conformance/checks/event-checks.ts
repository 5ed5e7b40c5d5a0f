import { RequestType, UnitOfMeasure, WorkOrderStatus } from "../../../contract/enums.ts";
import type { OperationId } from "../../../contract/operations.ts";
import type { Check } from "../conformance-check.ts";
import {
  expectRead,
  expectRefusal,
  expectResult,
  expectSame,
  skipUnlessServed,
  type Trial,
} from "../harness/knowledge.ts";
import { inWords, isObject, isSuccess, resultOf, statusOf } from "../harness/recorded-exchange.ts";
import { inventedNumber, sampleInput } from "../harness/sample-input.ts";
import { sentences } from "../sentences.ts";

const bodyOf = (operation: OperationId, trial: Trial): Readonly<Record<string, unknown>> => {
  const input = sampleInput(operation, trial.runId);
  return isObject(input) ? input : {};
};
const steps = ["confirmStep", "confirmCartStep"] as const;

const stepChecks = (operation: (typeof steps)[number]): readonly Check[] => [
  {
    id: `${operation}.update-member`,
    group: operation,
    title: "a success says whether there is an update",
    level: "full",
    basis: sentences.stepAnswer,
    hint: "data is { updateWorkOrderRequest: null } where nothing changes, not null and not {}.",
    run: async (trial) => {
      const exchange = await trial.call(operation, bodyOf(operation, trial));
      skipUnlessServed(trial, exchange);
      if (!isSuccess(exchange)) trial.skip(`the step was answered with ${inWords(exchange)}`);
      const data = exchange.answer?.["data"];
      if (!isObject(data) || !("updateWorkOrderRequest" in data))
        trial.complain(exchange, "data.updateWorkOrderRequest");
    },
  },
  {
    id: `${operation}.update-id`,
    group: operation,
    title: "an update has the id of the request",
    level: "full",
    basis: sentences.updateId,
    hint: "Return the received model with the affected lines changed.",
    run: async (trial) => {
      const exchange = await trial.call(operation, bodyOf(operation, trial));
      skipUnlessServed(trial, exchange);
      const sent = bodyOf(operation, trial)["updateWorkOrderRequest"];
      const update = Object(exchange.answer?.["data"] ?? {})["updateWorkOrderRequest"];
      const id = isObject(sent) ? sent["id"] : undefined;
      if (isObject(update) && update["id"] !== id) trial.complain(exchange, `updateWorkOrderRequest.id ${id}`);
    },
  },
  {
    id: `${operation}.virtual-container`,
    group: operation,
    title: "a pick without a container is read",
    level: "full",
    basis: sentences.virtualContainer,
    hint: "containerCode null stands for a virtual container, also beside real ones.",
    run: async (trial) => {
      const breakdown = [null, inventedNumber(trial.runId, "BOX")].map((containerCode) => ({
        containerCode,
        amountToConfirmInBaseUnitOfMeasure: 1,
        itemUnitOfMeasure: UnitOfMeasure.Piece,
      }));
      const summary = { locationName: "A-01", containersBreakdown: breakdown };
      const name = operation === "confirmStep" ? "amountToConfirmPickingSummary" : "amountToConfirmSummary";
      const { amountToConfirmPlacingInBaseUnitOfMeasure: _, ...body } = bodyOf(operation, trial);
      expectRead(trial, await trial.call(operation, { ...body, [name]: summary }), "a null containerCode");
      const empty = { locationName: null, containersBreakdown: [] };
      expectRead(trial, await trial.call(operation, { ...body, [name]: empty }), "a pick of nothing");
    },
  },
  {
    id: `${operation}.every-enum`,
    group: operation,
    title: "every unit and every request type is read",
    level: "full",
    basis: sentences.enumNumbers,
    hint: "Units are 0 to 13, request types 0 to 2, as numbers.",
    run: async (trial) => {
      const body = bodyOf(operation, trial);
      for (const itemUnitOfMeasure of Object.values(UnitOfMeasure)) {
        expectRead(trial, await trial.call(operation, { ...body, itemUnitOfMeasure }), `unit ${itemUnitOfMeasure}`);
      }
      for (const requestType of Object.values(RequestType)) {
        expectRead(trial, await trial.call(operation, { ...body, requestType }), `request type ${requestType}`);
      }
    },
  },
  {
    id: `${operation}.again`,
    group: operation,
    title: "the same step, sent again after a lost answer, is answered as before",
    level: "full",
    basis: sentences.retry,
    hint: "The platform repeats a call it got no answer to: do not fail on what is known already.",
    run: async (trial) => {
      const body = { ...bodyOf(operation, trial), workOrderNumber: inventedNumber(trial.runId, "REPEATED") };
      const first = await trial.call(operation, body);
      skipUnlessServed(trial, first);
      expectSame(trial, await trial.call(operation, body), first, "a repeated step");
    },
  },
];

export const eventChecks: readonly Check[] = [
  ...steps.flatMap(stepChecks),
  {
    id: "confirmStep.placing",
    group: "confirmStep",
    title: "a placing step needs no picking summary",
    level: "full",
    basis: sentences.identityOnly,
    hint: "amountToConfirmPickingSummary is set for pick steps only.",
    run: async (trial) => {
      const body = {
        ...bodyOf("confirmStep", trial),
        requestType: RequestType.PlaceItem,
        amountToConfirmPickingSummary: null,
        amountToConfirmPlacingInBaseUnitOfMeasure: 2,
      };
      expectRead(trial, await trial.call("confirmStep", body), "a placing step");
    },
  },
  {
    id: "changeStatus.every-status",
    group: "changeStatus",
    title: "every status of the contract is read",
    level: "full",
    basis: sentences.statusEnum,
    hint: "Status values are 0 to 8.",
    run: async (trial) => {
      for (const [name, status] of Object.entries(WorkOrderStatus)) {
        const number = inventedNumber(trial.runId, "STATUS");
        expectRead(trial, await trial.call("changeStatus", { number, status }), `status ${name}`);
      }
    },
  },
  {
    id: "confirmPutWallPlacement.amounts",
    group: "confirmPutWallPlacement",
    title: "amounts may be 0 or have decimals, but not be negative",
    level: "full",
    basis: sentences.identityOnly,
    hint: "Metres and kilograms have decimals; below 0 is a mistake.",
    run: async (trial) => {
      const body = bodyOf("confirmPutWallPlacement", trial);
      for (const completedAmount of [0, 2, 0.25]) {
        const exchange = await trial.call("confirmPutWallPlacement", { ...body, completedAmount });
        expectRead(trial, exchange, `an amount of ${completedAmount}`);
      }
      const negative = await trial.call(
        "confirmPutWallPlacement",
        { ...body, completedAmount: -1 },
        { expectation: "invalid" },
      );
      expectRefusal(trial, negative, "an amount of -1");
    },
  },
  {
    id: "confirmPutWallPlacement.every-piece",
    group: "confirmPutWallPlacement",
    title: "two equal amounts, both answered, are two amounts",
    level: "full",
    basis: sentences.unknownOrders,
    hint: "Real repeats look the same as retries: never refuse the second piece.",
    run: async (trial) => {
      const body = bodyOf("confirmPutWallPlacement", trial);
      const first = await trial.call("confirmPutWallPlacement", body);
      skipUnlessServed(trial, first);
      expectSame(trial, await trial.call("confirmPutWallPlacement", body), first, "a second equal amount");
    },
  },
  {
    id: "cancelWorkOrderRequest.line",
    group: "cancelWorkOrderRequest",
    title: "a line is named by its request or by its external id",
    level: "full",
    basis: sentences.identityOnly,
    hint: "Either of the two is enough, neither is not.",
    run: async (trial) => {
      const { request, requestExternalIdentifier, ...body } = bodyOf("cancelWorkOrderRequest", trial);
      const call = (members: object, expectation: "valid" | "invalid" = "valid") =>
        trial.call("cancelWorkOrderRequest", { ...body, ...members }, { expectation });
      expectRead(trial, await call({ request }), "a line named by its request");
      expectRead(trial, await call({ requestExternalIdentifier }), "a line named by its external id");
      expectRefusal(trial, await call({}, "invalid"), "a cancellation without a line");
    },
  },
  {
    id: "relocateCartContainers.empty",
    group: "relocateCartContainers",
    title: "an empty relocation is a success",
    level: "full",
    basis: sentences.emptyRelocation,
    hint: "A cart may come back empty.",
    run: async (trial) => {
      expectResult(trial, await trial.call("relocateCartContainers", []), ["Success"], "for []");
    },
  },
  {
    id: "relocateCartContainers.bad-element",
    group: "relocateCartContainers",
    title: "one bad element refuses all, and is named by its position",
    level: "full",
    basis: sentences.badElement,
    hint: "Validate the whole list before taking anything, and say which element is wrong: [1].containerCode.",
    run: async (trial) => {
      const good = sampleInput("relocateCartContainers", trial.runId);
      const body = [...(Array.isArray(good) ? good : []), { containerCode: null }];
      const exchange = await trial.call("relocateCartContainers", body, { expectation: "invalid" });
      expectRefusal(trial, exchange, "a list with a bad element");
      const isRefused = statusOf(exchange) === 400 || resultOf(exchange) === "InvalidInput";
      const { errors, validationStatus } = { ...exchange.answer };
      const errorTexts = JSON.stringify(errors ?? Object(validationStatus ?? {})["errorMessages"] ?? "");
      // Positions may count from 0, as in a path, or from 1.
      if (isRefused && !/\b[12]\b/.test(errorTexts)) trial.complain(exchange, "the position of the bad element, [1]");
    },
  },
  {
    id: "relocateCartContainers.big",
    group: "relocateCartContainers",
    title: "a cart of 200 containers is relocated in one call",
    level: "full",
    basis: sentences.acknowledged,
    hint: "All containers of a cart come in one list.",
    run: async (trial) => {
      const body = Array.from({ length: 200 }, (_, index) => ({
        containerCode: inventedNumber(trial.runId, `BOX${index}`),
        destinationLocationName: "DOCK-1",
        workOrder: { number: inventedNumber(trial.runId, `CART${index}`), requests: [] },
      }));
      expectRead(trial, await trial.call("relocateCartContainers", body, { isLarge: true }), "200 containers");
    },
  },
];
