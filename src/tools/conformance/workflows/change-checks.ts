import type { Check } from "../conformance-check.ts";
import { expectResult, skipUnlessServed, type Trial } from "../harness/knowledge.ts";
import { type Exchange, isObject, isSameContent } from "../harness/recorded-exchange.ts";
import { sentences } from "../sentences.ts";
import { lineId, modelOf, type OrderAtHand, ownOrder, stepOf } from "./order-to-work-with.ts";

interface Change {
  /** Line of the order, from 1. */
  readonly line: number;
  readonly requestedAmount?: number;
}

/** Starts picking, pushes the change, and continues; returns the answer to the last step. */
async function changeWhilePicking(trial: Trial, purpose: string, change: Change): Promise<[Exchange, OrderAtHand]> {
  const atHand = await ownOrder(trial, purpose);
  const first = await trial.call("confirmStep", stepOf(atHand, { line: 0, remaining: 5, amount: 2, container: null }));
  skipUnlessServed(trial, first);
  const { line, ...amounts } = change;
  const cancellation = {
    workOrderNumber: atHand.order.number,
    requestExternalIdentifier: lineId(trial.runId, purpose, line),
    ...amounts,
  };
  if (!(await trial.push("cancellations", cancellation))) trial.skip("cancellations cannot be pushed");
  let last = first;
  await trial.until(async () => {
    last = await trial.call("confirmStep", stepOf(atHand, { line: 0, remaining: 3, amount: 1, container: null }));
    return isObject(updateOf(last));
  });
  return [last, atHand];
}

const updateOf = ({ answer }: Exchange): unknown => Object(answer?.["data"] ?? {})["updateWorkOrderRequest"];
const linesOf = (update: unknown): readonly Readonly<Record<string, unknown>>[] => {
  const lines = isObject(update) ? update["itemRequests"] : null;
  return Array.isArray(lines) ? lines.filter(isObject) : [];
};

/** Changes of a running order, and the report afterwards. Only for adapters with inbound routes like ours. */
export const changeChecks: readonly Check[] = [
  {
    id: "workflow.cancelled-line",
    group: "workflow",
    title: "a line cancelled while the order is picked is cancelled by the next step",
    level: "full",
    basis: sentences.changeOffered,
    hint: "Return the received model, complete, with isCancelled true on the affected line.",
    run: async (trial) => {
      const [exchange, atHand] = await changeWhilePicking(trial, "CANCEL", { line: 2 });
      const update = updateOf(exchange);
      const [untouched, cancelled] = modelOf(atHand).itemRequests ?? [];
      const expected = { ...modelOf(atHand), itemRequests: [untouched, { ...cancelled, isCancelled: true }] };
      if (!isSameContent(update, expected))
        trial.complain(exchange, `updateWorkOrderRequest ${JSON.stringify(expected)}`);
    },
  },
  {
    id: "workflow.never-below-picked",
    group: "workflow",
    title: "a cancelled line of which something is picked is lowered to that, not cancelled",
    level: "full",
    basis: sentences.neverBelow,
    hint: "Picked is requested − remaining + confirmed now.",
    run: async (trial) => {
      const [exchange] = await changeWhilePicking(trial, "LOWER", { line: 1 });
      const line = linesOf(updateOf(exchange))[0];
      if (line?.["isCancelled"] === true || line?.["requestedAmount"] !== 3)
        trial.complain(exchange, "requestedAmount 3 and isCancelled false on the first line");
    },
  },
  {
    id: "workflow.report",
    group: "workflow",
    title: "the report has what was picked where, and what is missing",
    level: "full",
    basis: sentences.report,
    hint: "Missing is what remains above 0; placements come from the confirmed steps.",
    run: async (trial) => {
      const atHand = await ownOrder(trial, "REPORT");
      const { number, requests } = atHand.order;
      const step = stepOf(atHand, { line: 0, remaining: 5, amount: 4, container: null });
      skipUnlessServed(trial, await trial.call("confirmStep", step));
      const [one, other] = requests.map(({ itemNumber }) => itemNumber);
      const input = {
        workOrdersNumbers: [number],
        storageId: atHand.storage,
        remainingRequests: { [one ?? ""]: 1, [other ?? ""]: 0 },
      };
      const exchange = await trial.call("getReport", input);
      if (!expectResult(trial, exchange, ["Succeed"])) return;
      const { missingQuantities, placements } = Object(exchange.answer?.["data"] ?? {});
      if (JSON.stringify(missingQuantities) !== JSON.stringify({ [one ?? ""]: 1 }))
        trial.complain(exchange, `missingQuantities ${JSON.stringify({ [one ?? ""]: 1 })}`);
      const placed = Array.isArray(placements) ? placements.filter(isObject) : [];
      const ofOne = placed.filter(({ itemNumber }) => itemNumber === one);
      if (ofOne.reduce((sum, { amount }) => sum + Number(amount), 0) !== 4)
        trial.complain(exchange, `a placement of 4 × ${one}`);
    },
  },
  {
    id: "workflow.put-wall-codes",
    group: "workflow",
    title: "an order is found at the put wall by its delivery, its start number and its number",
    level: "full",
    basis: sentences.putWallCode,
    hint: "Look a code up as container, delivery number, alternative start number and number.",
    run: async (trial) => {
      const { order } = await ownOrder(trial, "CODES");
      const tried: { exchange: Exchange; isFound: boolean }[] = [];
      for (const code of [order.deliveryNumber, order.alternativeStartNumber, order.number]) {
        const exchange = await trial.call("findPutWallOrders", { code });
        if (!expectResult(trial, exchange, ["Succeed"])) continue;
        const data = exchange.answer?.["data"];
        const isFound = Array.isArray(data) && data.some((one) => isObject(one) && one["number"] === order.number);
        tried.push({ exchange, isFound });
      }
      // An endpoint that is not needed may return empty lists.
      if (!tried.some(({ isFound }) => isFound)) trial.skip("nothing is ever found at the put wall");
      for (const { exchange, isFound } of tried) if (!isFound) trial.complain(exchange, `order ${order.number}`);
    },
  },
];
