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

/** One pushed element in the form it is applied in, or what is wrong with it. */
type Prepared = { readonly lane: string; readonly payload: object } | { readonly problems: readonly Problem[] };

const validators = new Map<PushTopic, Validator>();

/** One object or a list of them: every bad element is named with its field, and then none is taken. */
export function readPush(topic: PushTopic, value: unknown, dates: DateSettings): PushReading {
  const isList = Array.isArray(value);
  const problems: Problem[] = [];
  const entries: PushedEntry[] = [];
  const payloadByNumber = new Map<string, { payload: string; index: number }>();
  for (const [index, element] of (isList ? value : [value]).entries()) {
    const place = isList ? `[${index}]` : "";
    const prepared = prepare(topic, element, dates);
    if ("problems" in prepared) {
      for (const problem of prepared.problems) problems.push({ ...problem, field: joined(place, problem.field) });
      continue;
    }
    const payload = JSON.stringify(prepared.payload);
    if (topic === "workOrders") {
      const { number } = prepared.payload as PushedWorkOrder;
      const twin = payloadByNumber.get(number);
      if (twin === undefined) payloadByNumber.set(number, { payload, index });
      else if (twin.payload !== payload) {
        problems.push({ field: joined(place, "number"), expected: "unique", detail: `[${twin.index}]` });
      }
    }
    entries.push({
      direction: "in",
      topic,
      lanes: [prepared.lane],
      body: JSON.stringify(element),
      payload,
      acceptLanguage: null,
    });
  }
  return problems.length > 0 ? { problems } : { entries };
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
  return { lane: orderLane(pushed.number), payload: normalised.workOrder };
}

function prepareCancellation(pushed: PushedCancellation): Prepared {
  const { requestedAmount, requestExternalIdentifier, itemNumber, workOrderNumber } = pushed;
  // An amount without a line could mean any line: a reduction must never hit a line nobody named.
  if (typeof requestedAmount === "number" && !requestExternalIdentifier && !itemNumber) {
    return { problems: [{ field: "", expected: "one-member-of", detail: "requestExternalIdentifier, itemNumber" }] };
  }
  return { lane: orderLane(workOrderNumber), payload: pushed };
}

function prepareItem(pushed: PushedItem): Prepared {
  if (typeof pushed.image === "string") {
    const bytes = decodeBase64(pushed.image);
    if (bytes === null || imageKind(bytes) === null) return { problems: [{ field: "image", expected: "image" }] };
  }
  return { lane: `item:${pushed.number}`, payload: pushed };
}

function prepareStock(pushed: PushedStock, dates: DateSettings): Prepared {
  const lane = `item:${pushed.itemNumber}`;
  if (typeof pushed.asOf !== "string") return { lane, payload: pushed };
  const asOf = readDateTime(pushed.asOf, dates);
  if (asOf === null) return { problems: [{ field: "asOf", expected: "date", found: JSON.stringify(pushed.asOf) }] };
  return { lane, payload: { ...pushed, asOf } };
}
