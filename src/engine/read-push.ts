import {
  type PushedCancellation,
  type PushedItem,
  type PushedStock,
  type PushedWorkOrder,
  type PushTopic,
  pushRow,
} from "../contract/pushes.ts";
import { type Problem, type Validator, validator } from "../contract/validator.ts";
import type { NewEntry } from "../journal/entry.ts";
import { decodeBase64 } from "../kit/base64.ts";
import { type DateSettings, readDateTime } from "../sdk/dates.ts";
import { imageKind } from "../sdk/image.ts";
import { normaliseWorkOrder } from "../sdk/normalise-work-order.ts";
import { orderLane } from "./lanes.ts";

export type PushedEntry = Omit<NewEntry, "id" | "receivedAt">;
export type PushReading = { readonly entries: readonly PushedEntry[] } | { readonly problems: readonly Problem[] };

/** One pushed element ready for the journal, or what is wrong with it. */
export type ElementReading =
  | {
      readonly entry: PushedEntry;
      /** The JSON text it is applied in; two elements with the same text say the same. */
      readonly payload: string;
      /** The business key: order number, item number. */
      readonly number: string;
    }
  | { readonly problems: readonly Problem[] };

/** One pushed element in the form it is applied in, or what is wrong with it. */
type Prepared =
  | { readonly lane: string; readonly number: string; readonly payload: object }
  | { readonly problems: readonly Problem[] };

const validators = new Map<PushTopic, Validator>();

/** One object or a list of them: every bad element is named with its field, and then none is taken. */
export function readPush(topic: PushTopic, value: unknown, dates: DateSettings): PushReading {
  const isList = Array.isArray(value);
  const problems: Problem[] = [];
  const entries: PushedEntry[] = [];
  const payloadByNumber = new Map<string, { payload: string; index: number }>();
  for (const [index, element] of (isList ? value : [value]).entries()) {
    const place = isList ? `[${index}]` : "";
    const reading = readElement(topic, element, dates);
    if ("problems" in reading) {
      for (const problem of reading.problems) problems.push({ ...problem, field: joined(place, problem.field) });
      continue;
    }
    if (topic === "workOrders") {
      const { number, payload } = reading;
      const twin = payloadByNumber.get(number);
      if (twin === undefined) payloadByNumber.set(number, { payload, index });
      else if (twin.payload !== payload) {
        problems.push({ field: joined(place, "number"), expected: "unique", detail: `[${twin.index}]` });
      }
    }
    entries.push(reading.entry);
  }
  return problems.length > 0 ? { problems } : { entries };
}

/** One element by itself; what it says about its neighbours is for the caller to see. */
export function readElement(topic: PushTopic, element: unknown, dates: DateSettings): ElementReading {
  const prepared = prepare(topic, element, dates);
  if ("problems" in prepared) return prepared;
  const { lane, number } = prepared;
  const payload = JSON.stringify(prepared.payload);
  const body = JSON.stringify(element);
  const entry: PushedEntry = { direction: "in", topic, lanes: [lane], body, payload, acceptLanguage: null };
  return { entry, payload, number };
}

const joined = (place: string, field: string) => (place === "" || field === "" ? place + field : `${place}.${field}`);

function prepare(topic: PushTopic, element: unknown, dates: DateSettings): Prepared {
  let checks = validators.get(topic);
  if (checks === undefined) {
    checks = validator(pushRow(topic).element);
    validators.set(topic, checks);
  }
  const value = checks.canonical(element);
  if (!checks.isValid(value)) return { problems: checks.problems(value) };
  // Checked against the schema of this topic in the line above.
  switch (topic) {
    case "workOrders":
      return prepareWorkOrder(value as PushedWorkOrder, dates);
    case "cancellations":
      return prepareCancellation(value as PushedCancellation);
    case "items":
      return prepareItem(value as PushedItem);
    case "stock":
      return prepareStock(value as PushedStock, dates);
  }
}

function prepareWorkOrder(pushed: PushedWorkOrder, dates: DateSettings): Prepared {
  const normalised = normaliseWorkOrder(pushed, dates);
  if ("problems" in normalised) return normalised;
  return { lane: orderLane(pushed.number), number: pushed.number, payload: normalised.workOrder };
}

function prepareCancellation(pushed: PushedCancellation): Prepared {
  const { requestedAmount, requestExternalIdentifier, itemNumber, workOrderNumber } = pushed;
  // An amount without a line could mean any line: a reduction must never hit a line nobody named.
  if (typeof requestedAmount === "number" && !requestExternalIdentifier && !itemNumber) {
    return { problems: [{ field: "", expected: "one-member-of", detail: "requestExternalIdentifier, itemNumber" }] };
  }
  return { lane: orderLane(workOrderNumber), number: workOrderNumber, payload: pushed };
}

function prepareItem(pushed: PushedItem): Prepared {
  if (typeof pushed.image === "string") {
    const bytes = decodeBase64(pushed.image);
    if (bytes === null || imageKind(bytes) === null) return { problems: [{ field: "image", expected: "image" }] };
  }
  return { lane: `item:${pushed.number}`, number: pushed.number, payload: pushed };
}

function prepareStock(pushed: PushedStock, dates: DateSettings): Prepared {
  const number = pushed.itemNumber;
  const lane = `item:${number}`;
  if (typeof pushed.asOf !== "string") return { lane, number, payload: pushed };
  const asOf = readDateTime(pushed.asOf, dates);
  if (asOf === null) return { problems: [{ field: "asOf", expected: "date", found: JSON.stringify(pushed.asOf) }] };
  return { lane, number, payload: { ...pushed, asOf } };
}
