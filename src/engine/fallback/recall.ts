import type { InputOf, QueryId } from "../../contract/operations.ts";
import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import { parseStored } from "../../kit/json/parse-in-turns.ts";
import { piecesInTurns } from "../../kit/json/write-in-turns.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { asOf } from "../../messages/as-of.ts";
import type { Language } from "../../messages/languages.ts";
import { type Message, say } from "../../messages/message.ts";
import type { DateSettings } from "../../operation/dates.ts";
import {
  type AnyOutcome,
  inSlices,
  ok,
  ReadyJson,
  ReadyJsonList,
  type ReadyJsonSlices,
  refuse,
} from "../../operation/outcome.ts";
import { OrderTexts, shownNumber } from "../intake/order-texts.ts";
import {
  type CodeField,
  type Freshness,
  fallbackQueries,
  type LastKnown,
  type ListedOrder,
  lookUpKey,
  maxAnswerCharacters,
} from "./last-known.ts";
import { isInParts } from "./list-parts.ts";
import { fold } from "./read-list.ts";
import type { ReportedWork } from "./reported-work.ts";

/** The fields that may hold a scanned code, the most specific first; as in the embedded store. */
const scanFields: readonly CodeField[] = ["number", "alternativeStartNumber", "externalIdentifier"];
const putWallFields: readonly CodeField[] = ["deliveryNumber", "alternativeStartNumber", "number"];

interface Candidate {
  readonly order: ListedOrder;
  /** Whether the order can be picked in the storage where the scan happened. */
  readonly fits: boolean;
}

/**
 * Finds the order for a scanned code. The right storage counts more than the exact spelling, and the spelling more than
 * the field.
 */
async function bestByCode(
  known: Pick<LastKnown, "listedBy">,
  code: string,
  storage: string,
): Promise<Candidate | null> {
  const wanted = code.trim();
  if (wanted === "") return null;
  let best: (Candidate & { readonly rank: number }) | null = null;
  for (const field of scanFields) {
    for await (const order of known.listedBy(field, wanted)) {
      const own = order.workOrder.designatedStorageName;
      const fits = !own || storage.trim() === "" || fold(own) === fold(storage);
      const rank = (fits ? 2 : 0) + (order.workOrder[field] === wanted ? 1 : 0);
      if (best === null || rank > best.rank) best = { order, fits, rank };
    }
  }
  return best;
}

/** Finds the orders for the code of a batch or tote. The list does not say which container belongs to which order. */
async function putWallByCode(known: Pick<LastKnown, "listedBy">, code: string): Promise<readonly ListedOrder[]> {
  const wanted = code.trim();
  if (wanted === "") return [];
  for (const field of putWallFields) {
    const found: ListedOrder[] = [];
    for await (const order of known.listedBy(field, wanted)) found.push(order);
    const exact = found.filter(({ workOrder }) => workOrder[field] === wanted);
    if (found.length > 0) return exact.length > 0 ? exact : found;
  }
  return [];
}

export interface RecallNeeds {
  readonly known: LastKnown;
  readonly work: ReportedWork;
  readonly freshness: Freshness;
  readonly dates: DateSettings;
  readonly clock: Clock;
}

export type Recall = (id: QueryId, input: unknown, language: Language) => Promise<AnyOutcome | null>;

const minuteMs = 60_000;

/** Answers from fallback data and says how old the data is; null if nothing is known or fresh enough. */
export function recall({ known, work, freshness, dates, clock }: RecallNeeds): Recall {
  const isFresh = (id: QueryId, at: number) => {
    const limits = fallbackQueries[id];
    return limits !== undefined && clock.now() - at <= freshness[limits.minutes] * minuteMs;
  };
  const time = (at: number, language: Language) => asOf(at, { now: clock.now(), timeZone: dates.timeZone, language });

  const list = (language: Language) => {
    const at = known.listAt();
    if (at === null || !isFresh("listWorkOrders", at)) return null;
    const pieces = known.listed((number) => work.since(number, at) === "none");
    return ok(new ReadyJsonList(pieces), { message: say("fallback.orders", { time: time(at, language) }) });
  };

  /**
   * Answers a scan. A finished order must not be started again, even if its external system does not know that it is
   * finished.
   */
  const scanned = (
    { number }: WorkOrder,
    text: ReadyJson | ReadyJsonSlices,
    at: number,
    language: Language,
  ): AnyOutcome => {
    const state = work.since(number, at);
    const refused = (message: Message) => refuse("WorkOrderDoesNotExist", message);
    if (state === "finished") return refused(say("orders.finished", { number }));
    if (state === "cancelled") return refused(say("orders.cancelled", { number }));
    const message = say("fallback.order", { number: shownNumber(number), time: time(at, language) });
    return ok(text, { message });
  };

  const scan = async (input: InputOf<"findWorkOrderByCode">, language: Language) => {
    const answer = known.answer("findWorkOrderByCode", lookUpKey(input));
    const listAt = known.listAt();
    if (answer !== undefined && answer.at >= (listAt ?? 0)) {
      if (answer.text === null || !isFresh("findWorkOrderByCode", answer.at)) return null;
      // `remember` stored it from a checked answer.
      return scanned((await parseStored(answer.text)) as WorkOrder, new ReadyJson(answer.text), answer.at, language);
    }
    if (listAt !== null && isFresh("findWorkOrderByCode", listAt)) {
      const best = await bestByCode(known, input.Code, input.StorageName ?? "");
      if (best !== null && !best.fits) {
        const { number, designatedStorageName } = best.order.workOrder;
        const storage = designatedStorageName ?? "";
        return refuse("WorkOrderDoesNotExist", say("orders.other-storage", { number, storage }));
      }
      if (best !== null) return scanned(best.order.workOrder, textOf(best.order), listAt, language);
    }
    // The order may have left the list because it was started; the answer to the scan that started it is stored.
    if (answer === undefined || answer.text === null || !isFresh("findWorkOrderByCode", answer.at)) return null;
    // `remember` stored it from a checked answer.
    return scanned((await parseStored(answer.text)) as WorkOrder, new ReadyJson(answer.text), answer.at, language);
  };

  const putWall = async (input: InputOf<"findPutWallOrders">, language: Language) => {
    const words = (at: number) => ({ message: say("fallback.orders", { time: time(at, language) }) });
    const isOpen = (number: string, at: number) => ["none", "started"].includes(work.since(number, at));
    const answer = known.answer("findPutWallOrders", lookUpKey(input));
    // `remember` stored them from checked orders.
    const answered = (await parseStored(answer?.text ?? "[]")) as readonly WorkOrder[];
    if (answer !== undefined && answered.length > 0 && isFresh("findPutWallOrders", answer.at)) {
      const open = answered.filter(({ number }) => isOpen(number, answer.at));
      return ok(new ReadyJson((await piecesInTurns(open)) ?? "[]"), words(answer.at));
    }
    const listAt = known.listAt();
    if (listAt === null || !isFresh("findPutWallOrders", listAt)) return null;
    const found = await putWallByCode(known, input.code);
    const orders = found.filter(({ workOrder }) => isOpen(workOrder.number, listAt));
    return orders.length === 0 ? null : ok(new ReadyJsonList(orders.map(pieceOf)), words(listAt));
  };

  const item = (id: "getItem" | "getItemImage", input: InputOf<"getItem">, language: Language) => {
    const answer = known.answer(id, lookUpKey(input));
    if (answer === undefined || answer.text === null || !isFresh(id, answer.at)) return null;
    const message = say("fallback.item", { number: shownNumber(input.number), time: time(answer.at, language) });
    return ok(new ReadyJson(answer.text), { message });
  };

  return async (id, input, language) => {
    // The input was checked against the row of its id.
    if (id === "listWorkOrders") return list(language);
    // Checked against the row of its id.
    if (id === "findWorkOrderByCode") return scan(input as InputOf<"findWorkOrderByCode">, language);
    // Checked against the row of its id.
    if (id === "findPutWallOrders") return putWall(input as InputOf<"findPutWallOrders">, language);
    // Checked against the row of its id.
    if (id === "getItem" || id === "getItemImage") return item(id, input as InputOf<"getItem">, language);
    return null;
  };
}

const textOf = ({ bytes }: ListedOrder): ReadyJson | ReadyJsonSlices =>
  isInParts(bytes.length) ? inSlices(bytes) : new ReadyJson(bytes.toString());

const pieceOf = ({ bytes }: ListedOrder): Uint8Array | ReadyJsonSlices =>
  isInParts(bytes.length) ? inSlices(bytes) : bytes;

/** Stores a checked answer as fallback data and returns it as ready text, so that it is serialised only once. */
export async function remember(
  { id, input, outcome, at }: { id: QueryId; input: unknown; outcome: AnyOutcome; at: number },
  known: LastKnown | null,
): Promise<AnyOutcome> {
  const key = lookUpKey(input);
  if (!outcome.ok) {
    if (outcome.result === fallbackQueries[id]?.gone) known?.rememberAnswer(id, key, { at, text: null });
    return outcome;
  }
  const { data } = outcome;
  if (data instanceof OrderTexts) {
    if (id === "listWorkOrders") known?.rememberList(data.orders, at);
    else if (mayBeKept(data)) {
      known?.rememberAnswer(id, key, { at, text: `[${data.orders.map(({ text }) => text).join(",")}]` });
    }
    return outcome;
  }
  if (data instanceof ReadyJsonList) return outcome;
  const ready = data instanceof ReadyJson ? data : new ReadyJson((await piecesInTurns(data)) ?? "null");
  // The text "null" means that the order was not found, so null is stored. Text that is too long is not even joined.
  if (ready.is("null")) known?.rememberAnswer(id, key, { at, text: null });
  else if (ready.length <= maxAnswerCharacters) known?.rememberAnswer(id, key, { at, text: ready.text });
  return { ...outcome, data: ready };
}

/** Whether the text may be short enough, judged without joining it. A character takes at most three bytes. */
const mayBeKept = ({ orders }: OrderTexts): boolean =>
  orders.reduce((sum, { length }) => sum + length, 0) <= 3 * maxAnswerCharacters;
