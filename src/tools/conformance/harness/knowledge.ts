import { resultForFault } from "../../../contract/operation.ts";
import { type OperationId, operationRow } from "../../../contract/operations.ts";
import type { PushTopic } from "../../../contract/pushes.ts";
import type { WorkOrder } from "../../../contract/schemas/work-order.ts";
import {
  type Exchange,
  type Expectation,
  inWords,
  isObject,
  isSuccess,
  resultOf,
  statusOf,
} from "./recorded-exchange.ts";
import type { WireRequest } from "./wire.ts";

/** What is known about this adapter's orders and items before the checks begin. */
export interface Knowledge {
  /** A few currently listed orders. */
  readonly orders: readonly WorkOrder[];
  /** Numbers of known items; those with unusual characters first. */
  readonly items: readonly string[];
  /** Whether pushed data is served afterwards. Then checks push their own orders. */
  readonly canPush: boolean;
}

export interface Given {
  /** An order number that a scan finds. */
  readonly order?: string;
  /** The storage in which it is scanned. */
  readonly storage?: string;
  /** A known item number. */
  readonly item?: string;
}

const maxOrders = 20;
const maxItemsTried = 24;

/** Numbers that no adapter has by itself, so that finding them proves that the push was served. */
const pushedItemNumbers = (runId: string): readonly string[] => [
  `CONFORM/${runId} %2F+ä`,
  `CONFORM ${runId} B`,
  `CONFORM+${runId}`,
];

/** Finds out what is listed, what the user has named, and whether pushes are served. */
export async function discover(trial: Trial, { order, storage, item }: Given, mayPush: boolean): Promise<Knowledge> {
  const listed = await trial.call("listWorkOrders");
  const orders: WorkOrder[] = isSuccess(listed) ? ordersIn(listed.answer?.["data"]).slice(0, maxOrders) : [];
  if (order !== undefined) {
    const scanned = await trial.call("findWorkOrderByCode", { Code: order, StorageName: storage ?? "" });
    if (isSuccess(scanned)) orders.unshift(...ordersIn([scanned.answer?.["data"]]));
  }
  const numbers = pushedItemNumbers(trial.runId);
  const isTaken =
    mayPush &&
    (await trial.push(
      "items",
      numbers.map((number) => ({ number, image: smallImage })),
    ));
  const canPush =
    isTaken && (await trial.until(async () => isSuccess(await trial.call("getItem", { number: numbers.at(-1) }))));
  const candidates = new Set([
    ...(item === undefined ? [] : [item]),
    ...(canPush ? numbers : []),
    ...orders.flatMap(({ requests }) => requests.map(({ itemNumber }) => itemNumber)).toSorted(oddFirst),
  ]);
  const [first] = orders;
  // One good answer distinguishes an endpoint that fails on unknown values from one that declines everything.
  if (first !== undefined) {
    const storage = first.designatedStorageName ?? "";
    await trial.call("findWorkOrderByCode", { Code: first.number, StorageName: storage });
    const report = { workOrdersNumbers: [first.number], storageId: storage, remainingRequests: {} };
    await trial.call("getReport", report);
  }
  const items: string[] = [];
  for (const number of [...candidates].slice(0, maxItemsTried)) {
    if (isSendable(number) && isSuccess(await trial.call("getItem", { number }))) items.push(number);
  }
  return { orders, items, canPush };
}

/** A minimal PNG: one transparent pixel. */
const smallImage = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const isOdd = (number: string) => !/^[\w.-]+$/.test(number);
const oddFirst = (one: string, other: string) => Number(isOdd(other)) - Number(isOdd(one));
/** These path segments are removed from a URL, encoded or not. */
const isSendable = (number: string) => number !== "" && number !== "." && number !== "..";

/** Orders that checks can work with; the laws check whether they are complete. */
function ordersIn(data: unknown): WorkOrder[] {
  if (!Array.isArray(data)) return [];
  return data.filter(
    (one): one is WorkOrder =>
      isObject(one) &&
      typeof one["number"] === "string" &&
      Array.isArray(one["requests"]) &&
      one["requests"].length > 0 &&
      one["requests"].every((line) => isObject(line) && typeof line["itemNumber"] === "string"),
  );
}

export interface CallHow {
  readonly headers?: Readonly<Record<string, string>>;
  readonly expectation?: Expectation;
  /** Changes the request from the table, such as the letter case of its path. */
  readonly change?: (request: WireRequest) => WireRequest;
  /** Excluded from the time budget: larger than anything an operator waits for. */
  readonly isLarge?: true;
}

/** What a check works with. */
export interface Trial {
  /** Part of every number that this run invents, so that its data can be recognised. */
  readonly runId: string;
  readonly known: Knowledge;
  /** Sends the request that the table gives for this input. The laws check the answer as well. */
  readonly call: (operation: OperationId, input?: unknown, how?: CallHow) => Promise<Exchange>;
  /** Pushes data to the adapter's inbound routes; false if it has none. */
  readonly push: (topic: PushTopic, elements: unknown) => Promise<boolean>;
  /** The result that this endpoint has given to every request so far. It may mean that the endpoint is not needed. */
  readonly declinedWith: (operation: OperationId) => string | null;
  /** Calls `isSo` for a few seconds until it returns true. */
  readonly until: (isSo: () => Promise<boolean>) => Promise<boolean>;
  readonly complain: (exchange: Exchange, expected: string) => void;
  readonly skip: (why: string) => never;
}

/** Skips the check if the answer proves nothing: the capability is not offered, or the external system is down. */
export function skipUnlessServed({ skip, declinedWith }: Trial, exchange: Exchange): void {
  const result = resultOf(exchange);
  const isPlain = !isObject(exchange.answer?.["validationStatus"]);
  if (result !== null && isPlain && declinedWith(exchange.operation) === result)
    skip(`declined: every answer is ${result}`);
  if (result === "AdapterNotDefined") skip("not offered");
  if (result === "AdapterApiClientFailed") skip("the adapter did not reach its external system");
}

/** Complains unless the result is one of these. */
export function expectResult(trial: Trial, exchange: Exchange, names: readonly string[], because = ""): boolean {
  skipUnlessServed(trial, exchange);
  const result = resultOf(exchange);
  if (result !== null && names.includes(result)) return true;
  const { results } = operationRow(exchange.operation);
  const wanted = names.map((name) => `${name} (${results.indexOf(name)})`).join(" or ");
  trial.complain(exchange, `${wanted}${because === "" ? "" : ` ${because}`}, not ${inWords(exchange)}`);
  return false;
}

/** Complains unless the input was refused as invalid, in one of the two ways of the contract. */
export function expectRefusal(trial: Trial, exchange: Exchange, what: string): void {
  skipUnlessServed(trial, exchange);
  if (statusOf(exchange) === 400) return;
  const row = operationRow(exchange.operation);
  const wanted = resultForFault(row, "invalid");
  // If the contract does not list the results of an endpoint, another check judges the number.
  const isAsWanted = row.assumption === undefined ? resultOf(exchange) === wanted : statusOf(exchange) === 200;
  if (!isAsWanted) {
    trial.complain(exchange, `${what} refused with ${wanted} or HTTP 400, not ${inWords(exchange)}`);
  } else if (!isObject(exchange.answer?.["validationStatus"])) {
    trial.complain(exchange, `${what} refused with validationStatus filled`);
  }
}

/** Complains if a valid request was refused as invalid. */
export function expectRead(trial: Trial, exchange: Exchange, what: string): boolean {
  skipUnlessServed(trial, exchange);
  const isCalledInvalid =
    statusOf(exchange) !== 200 ||
    resultOf(exchange) === "InvalidInput" ||
    isObject(exchange.answer?.["validationStatus"]);
  if (isCalledInvalid) trial.complain(exchange, `${what} accepted, not ${inWords(exchange)}`);
  return !isCalledInvalid;
}

/** Complains unless the answer has the same status and result as another one. */
export function expectSame(trial: Trial, exchange: Exchange, other: Exchange, what: string): void {
  const isSame = statusOf(exchange) === statusOf(other) && resultOf(exchange) === resultOf(other);
  if (!isSame) trial.complain(exchange, `${what} answered as without it (${inWords(other)}), not ${inWords(exchange)}`);
}
