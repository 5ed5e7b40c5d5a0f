import type { AskId, InputOf } from "../../contract/operations.ts";
import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import type { Clock } from "../../kit/clock.ts";
import type { Language } from "../../messages/languages.ts";
import { type Message, say } from "../../messages/message.ts";
import type { DateSettings } from "../../sdk/dates.ts";
import { type AnyOutcome, ok, refuse } from "../../sdk/outcome.ts";
import { ReadyJson, ReadyJsonList } from "../../sdk/ready-json.ts";
import { shownNumber } from "../shown-number.ts";
import { asOf } from "./as-of.ts";
import { bestByCode, putWallByCode } from "./find-by-code.ts";
import { type Freshness, islandAsks } from "./island-asks.ts";
import type { LastKnown } from "./last-known.ts";
import { lookUpKey } from "./look-up-key.ts";
import type { WorkSeen } from "./work-seen.ts";

export interface RecallNeeds {
  readonly known: LastKnown;
  readonly work: WorkSeen;
  readonly freshness: Freshness;
  readonly dates: DateSettings;
  readonly clock: Clock;
}

export type Recall = (id: AskId, input: unknown, language: Language) => AnyOutcome | null;

const minuteMs = 60_000;

/** The answer from last known data, with its age in words; null where nothing is known, or nothing fresh enough. */
export function recall({ known, work, freshness, dates, clock }: RecallNeeds): Recall {
  const isFresh = (id: AskId, at: number) => {
    const limits = islandAsks[id];
    return limits !== undefined && clock.now() - at <= freshness[limits.minutes] * minuteMs;
  };
  const time = (at: number, language: Language) => asOf(at, { now: clock.now(), timeZone: dates.timeZone, language });

  const list = (language: Language) => {
    const at = known.listAt();
    if (at === null || !isFresh("listWorkOrders", at)) return null;
    const pieces = known.listed((number) => work.since(number, at) === "none");
    return ok(new ReadyJsonList(pieces), { message: say("island.orders", { time: time(at, language) }) });
  };

  /** A finished order is not to be begun again, though its external system has not heard of it. */
  const scanned = ({ number }: WorkOrder, text: string, at: number, language: Language): AnyOutcome => {
    const state = work.since(number, at);
    const refused = (message: Message) => refuse("WorkOrderDoesNotExist", message);
    if (state === "finished") return refused(say("orders.finished", { number }));
    if (state === "cancelled") return refused(say("orders.cancelled", { number }));
    const message = say("island.order", { number: shownNumber(number), time: time(at, language) });
    return ok(new ReadyJson(text), { message });
  };

  const scan = (input: InputOf<"findWorkOrderByCode">, language: Language) => {
    const answer = known.answer("findWorkOrderByCode", lookUpKey(input));
    const listAt = known.listAt();
    if (answer !== undefined && answer.at >= (listAt ?? 0)) {
      if (answer.text === null || !isFresh("findWorkOrderByCode", answer.at)) return null;
      // Written by remember.ts from a checked order.
      return scanned(JSON.parse(answer.text) as WorkOrder, answer.text, answer.at, language);
    }
    if (listAt !== null && isFresh("findWorkOrderByCode", listAt)) {
      const best = bestByCode(known, input.Code, input.StorageName ?? "");
      if (best !== null && !best.fits) {
        const { number, designatedStorageName } = best.order.workOrder;
        const storage = designatedStorageName ?? "";
        return refuse("WorkOrderDoesNotExist", say("orders.other-storage", { number, storage }));
      }
      if (best !== null) return scanned(best.order.workOrder, best.order.text, listAt, language);
    }
    // No longer on the list because it was begun, and the scan that began it is remembered.
    if (answer === undefined || answer.text === null || !isFresh("findWorkOrderByCode", answer.at)) return null;
    return scanned(JSON.parse(answer.text) as WorkOrder, answer.text, answer.at, language);
  };

  const putWall = (input: InputOf<"findPutWallOrders">, language: Language) => {
    const words = (at: number) => ({ message: say("island.orders", { time: time(at, language) }) });
    const isOpen = (number: string, at: number) => ["none", "started"].includes(work.since(number, at));
    const answer = known.answer("findPutWallOrders", lookUpKey(input));
    // Written by remember.ts from checked orders.
    const answered = JSON.parse(answer?.text ?? "[]") as readonly WorkOrder[];
    if (answer !== undefined && answered.length > 0 && isFresh("findPutWallOrders", answer.at)) {
      const open = answered.filter(({ number }) => isOpen(number, answer.at));
      return ok(new ReadyJson(JSON.stringify(open)), words(answer.at));
    }
    const listAt = known.listAt();
    if (listAt === null || !isFresh("findPutWallOrders", listAt)) return null;
    const orders = putWallByCode(known, input.code).filter(({ workOrder }) => isOpen(workOrder.number, listAt));
    return orders.length === 0 ? null : ok(new ReadyJsonList(orders.map(({ text }) => text)), words(listAt));
  };

  const item = (id: "getItem" | "getItemImage", input: InputOf<"getItem">, language: Language) => {
    const answer = known.answer(id, lookUpKey(input));
    if (answer === undefined || answer.text === null || !isFresh(id, answer.at)) return null;
    const message = say("island.item", { number: shownNumber(input.number), time: time(answer.at, language) });
    return ok(new ReadyJson(answer.text), { message });
  };

  return (id, input, language) => {
    // An input was checked against the row of its id before it got here.
    if (id === "listWorkOrders") return list(language);
    if (id === "findWorkOrderByCode") return scan(input as InputOf<"findWorkOrderByCode">, language);
    if (id === "findPutWallOrders") return putWall(input as InputOf<"findPutWallOrders">, language);
    if (id === "getItem" || id === "getItemImage") return item(id, input as InputOf<"getItem">, language);
    return null;
  };
}
