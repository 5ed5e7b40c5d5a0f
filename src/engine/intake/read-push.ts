import {
  type PushedCancellation,
  type PushedIndexableValue,
  type PushedItem,
  type PushedStock,
  type PushedWorkOrder,
  type PushTopic,
  pushRow,
} from "../../contract/pushes.ts";
import { halfCharacters } from "../../contract/validate/half-characters.ts";
import type { Problem } from "../../contract/validate/problem.ts";
import { type Validator, validator } from "../../contract/validate/validator.ts";
import type { NewEntry } from "../../journal/entry.ts";
import { decodeBase64 } from "../../kit/base64.ts";
import { longNumberIn } from "../../kit/json/exact-number.ts";
import { type DateSettings, readDateTime } from "../../operation/dates.ts";
import { itemLane, numberOfLane, orderLane } from "../../operation/lane.ts";
import { nearestMeasures, normaliseWorkOrder } from "../../operation/normalise-work-order.ts";
import { imageKind } from "../../operation/outcome.ts";
import type { BadElement } from "../../sdk/intake.ts";
import { type NaturalElement, naturalRule } from "../events/repeat-rule.ts";
import { ContentByNumber } from "./content-by-number.ts";

export type PushedEntry = Omit<NewEntry, "id" | "receivedAt">;
/** How many elements may be stored in one commit: with more, events of the floor would wait behind them. */
const mostElements = 250;
/** Each may change an order of ten thousand lines. */
const mostCancellations = 4;
export const mostInCommit = (topic: string): number => (topic === "cancellations" ? mostCancellations : mostElements);

/** The numbers of the orders or items that the entries are about, each once. */
export const numbersOf = (entries: readonly PushedEntry[]): readonly string[] => [
  ...new Set(entries.flatMap(({ lanes }) => lanes.flatMap((lane) => numberOfLane(lane) ?? []))),
];

export type PushReading = { readonly entries: readonly PushedEntry[] } | { readonly problems: readonly Problem[] };

/** One pushed element ready for the journal, or its problems. */
export type ElementReading =
  | {
      readonly entry: PushedEntry;
      /** The JSON text that is applied; two elements with the same text are equal. */
      readonly payload: string;
      /** The business key: order number, item number. */
      readonly number: string;
    }
  | { readonly problems: readonly Problem[] };

/** One pushed element in the form it is applied in, or its problems. */
type Prepared =
  | { readonly lane: string; readonly number: string; readonly payload: NaturalElement["payload"] & object }
  | { readonly problems: readonly Problem[] };

interface Checks extends Validator {
  readonly nearest: (value: unknown) => unknown;
}
const checksByTopic = new Map<PushTopic, Checks>();

/** The elements of one push that can be stored, and the problems of the others. */
export interface ReadElements {
  readonly good: readonly { readonly index: number; readonly entry: PushedEntry }[];
  readonly bad: readonly BadElement[];
}

/**
 * Reads one object or a list of objects. If any element is bad, each bad one is reported with its field, and nothing is
 * stored.
 */
export function readPush(topic: PushTopic, value: unknown, dates: DateSettings): PushReading {
  const isList = Array.isArray(value);
  const { good, bad } = readElements(topic, isList ? value : [value], dates);
  if (bad.length === 0) return { entries: good.map(({ entry }) => entry) };
  const problems = bad.flatMap(({ index, problems: own }) =>
    own.map((problem) => ({ ...problem, field: placed(isList ? index : null, problem.field) })),
  );
  return { problems };
}

/**
 * Checks each element by itself. Of two orders with one number the first is kept, because it is unclear which is meant;
 * if a push is read in pieces, orders of earlier pieces count too. A quick reading ends at the first bad element. Bad
 * elements beyond `mostExplained` are reported without their problems, which take ten times as long to find.
 */
export function readElements(
  topic: PushTopic,
  elements: readonly unknown[],
  dates: DateSettings,
  {
    soFar = new ContentByNumber(),
    firstIndex = 0,
    isQuick = false,
    mostExplained = Infinity,
  }: { soFar?: ContentByNumber; firstIndex?: number; isQuick?: boolean; mostExplained?: number } = {},
): ReadElements {
  const good: { index: number; entry: PushedEntry }[] = [];
  const bad: BadElement[] = [];
  for (const [index, element] of elements.entries()) {
    const reading = readElement(topic, element, dates, isQuick || bad.length >= mostExplained);
    if ("problems" in reading) {
      bad.push({ index, problems: reading.problems });
      if (isQuick) break;
      continue;
    }
    if (topic === "workOrders") {
      const { number, payload } = reading;
      const first = soFar.contradicted(number, payload, firstIndex + index);
      if (first !== null) {
        bad.push({ index, problems: [{ field: "number", expected: "unique", detail: `[${first}]` }] });
        continue;
      }
    }
    good.push({ index, entry: reading.entry });
  }
  return { good, bad };
}

/** The path of a member in the whole push. */
export function placed(index: number | null, field: string): string {
  const place = index === null ? "" : `[${index}]`;
  return place === "" || field === "" ? place + field : `${place}.${field}`;
}

/**
 * Reads one element; conflicts between elements are checked by the caller. A quick reading may list none of the
 * problems of a bad element.
 */
export function readElement(topic: PushTopic, element: unknown, dates: DateSettings, isQuick = false): ElementReading {
  const prepared = prepare(topic, element, dates, isQuick);
  if ("problems" in prepared) return prepared;
  const { lane, number } = prepared;
  const payload = JSON.stringify(prepared.payload);
  const body = JSON.stringify(element);
  const repeat = naturalRule(topic, { number, payload: prepared.payload });
  const entry: PushedEntry = {
    // An equal payload is left out: storing the same text twice would need twice the space.
    ...{
      direction: "in",
      topic,
      lanes: [lane],
      body,
      payload: payload === body ? null : payload,
      acceptLanguage: null,
    },
    ...(repeat === undefined ? {} : { repeat }),
  };
  return { entry, payload, number };
}

function prepare(topic: PushTopic, element: unknown, dates: DateSettings, isQuick: boolean): Prepared {
  let checks = checksByTopic.get(topic);
  if (checks === undefined) {
    const { element: schema } = pushRow(topic);
    checks = { ...validator(schema), nearest: nearestMeasures(schema) };
    checksByTopic.set(topic, checks);
  }
  const value = checks.nearest(checks.canonical(element));
  if (checks.isValid(value)) return prepareChecked(topic, value, dates);
  if (isQuick) return { problems: [] };
  // Checks beyond the schema run too, so that all problems of an element are reported at once.
  const problems = checks.problems(value);
  const known = new Set(problems.map(({ field }) => field));
  const prepared = isObject(value) ? prepareChecked(topic, inShape(topic, value), dates) : { problems: [] };
  const further = "problems" in prepared ? prepared.problems.filter(({ field }) => !known.has(field)) : [];
  return { problems: [...problems, ...further] };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Returns the value with the lists and objects that further checks descend into; they check other members themselves.
 */
function inShape(topic: PushTopic, given: Readonly<Record<string, unknown>>): unknown {
  // Members with a number that is too long are left out: such a number cannot become text, so building a lane from it
  // would fail.
  const value = Object.fromEntries(Object.entries(given).filter(([, member]) => longNumberIn(member) === undefined));
  if (topic !== "workOrders") return value;
  const { requests } = value;
  return { ...value, requests: Array.isArray(requests) ? requests.map((line) => (isObject(line) ? line : {})) : [] };
}

function prepareChecked(topic: PushTopic, value: unknown, dates: DateSettings): Prepared {
  // Orders are checked later, when they are converted into the contract's form, whatever their source.
  const halves = topic === "workOrders" ? [] : halfCharacters(value);
  const prepared = prepareTopic(topic, value, dates);
  if (halves.length === 0) return prepared;
  return { problems: [...halves, ...("problems" in prepared ? prepared.problems : [])] };
}

function prepareTopic(topic: PushTopic, value: unknown, dates: DateSettings): Prepared {
  // The value was checked against the schema of this topic, or is refused in any case.
  switch (topic) {
    case "workOrders":
      return prepareWorkOrder(value as PushedWorkOrder, dates);
    case "cancellations":
      // As above.
      return prepareCancellation(value as PushedCancellation);
    case "items":
      // As above.
      return prepareItem(value as PushedItem);
    case "stock":
      // As above.
      return prepareStock(value as PushedStock, dates);
    case "indexableValues":
      // As above.
      return prepareIndexableValue(value as PushedIndexableValue);
  }
}

function prepareWorkOrder(pushed: PushedWorkOrder, dates: DateSettings): Prepared {
  const normalised = normaliseWorkOrder(pushed, dates);
  if ("problems" in normalised) return normalised;
  return { lane: orderLane(pushed.number), number: pushed.number, payload: normalised.workOrder };
}

function prepareCancellation(pushed: PushedCancellation): Prepared {
  const { requestedAmount, requestExternalIdentifier, itemNumber, lotNumber, workOrderNumber } = pushed;
  // An amount or a lot without a line could mean any line, and only a named line may be lowered or cancelled.
  if ((typeof requestedAmount === "number" || lotNumber) && !requestExternalIdentifier && !itemNumber) {
    return { problems: [{ field: "", expected: "one-member-of", detail: "requestExternalIdentifier, itemNumber" }] };
  }
  return { lane: orderLane(workOrderNumber), number: workOrderNumber, payload: pushed };
}

function prepareItem(pushed: PushedItem): Prepared {
  if (typeof pushed.image === "string") {
    const bytes = decodeBase64(pushed.image);
    if (bytes === null || imageKind(bytes) === null) return { problems: [{ field: "image", expected: "image" }] };
  }
  return { lane: itemLane(pushed.number), number: pushed.number, payload: pushed };
}

function prepareIndexableValue(pushed: PushedIndexableValue): Prepared {
  const { workOrderNumber: number } = pushed;
  return { lane: orderLane(number), number, payload: pushed };
}

function prepareStock(pushed: PushedStock, dates: DateSettings): Prepared {
  const number = pushed.itemNumber;
  const lane = itemLane(number);
  if (typeof pushed.asOf !== "string") return { lane, number, payload: pushed };
  const asOf = readDateTime(pushed.asOf, dates);
  if (asOf === null) return { problems: [{ field: "asOf", expected: "date", found: JSON.stringify(pushed.asOf) }] };
  return { lane, number, payload: { ...pushed, asOf } };
}
