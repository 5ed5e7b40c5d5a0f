import { type DerivedEventId, derivedEvents, isDerivedEvent } from "../../contract/derived-events.ts";
import { type EventId, operationRow, type QueryId } from "../../contract/operations.ts";
import { requestLineSchema, workOrderSchema } from "../../contract/schemas/work-order.ts";
import {
  elementShape,
  leafShape,
  namesMeant,
  objectShape,
  type SourceShape,
  shapeOfSchema,
  stepShape,
} from "../../mapping/source/source-shape.ts";
import type { EventOptions, StepOptions } from "./options/operation-options.ts";
import { isExpression } from "./steps/condition-options.ts";

/** An event of the platform, or one that the adapter derives. */
export type EventName = EventId | DerivedEventId;

/** What placeholders can refer to, as far as it is known before the first call. */
export type PlaceholderScope = Readonly<Record<string, SourceShape>>;

const paging: PlaceholderScope = { page: leafShape, offset: leafShape, cursor: null, limit: leafShape };
const anything = (names: readonly string[]): PlaceholderScope =>
  Object.fromEntries(names.map((name) => [name, null] as const));

/** For a query or a poll. */
export const scopeOfQuery = (id: QueryId | null, variables: readonly string[]): PlaceholderScope => ({
  ...anything(variables),
  ...inputScope(id),
  ...paging,
});

export const scopeOfPoll = (variables: readonly string[]): PlaceholderScope => ({
  ...scopeOfQuery(null, variables),
  since: leafShape,
});

export const scopeOfDetail = (variables: readonly string[]): PlaceholderScope => ({
  ...anything(variables),
  ...inputScope(null),
  record: null,
});

const amountShape: SourceShape = { type: "number" };

/** The order and the line that an event is about. */
export const booksScope: PlaceholderScope = {
  order: objectShape({ ...shapeOfSchema(workOrderSchema)?.properties, data: null }),
  line: objectShape({
    ...shapeOfSchema(requestLineSchema)?.properties,
    ...{ data: null, confirmedAmount: amountShape, confirmedAmountInBaseUnitOfMeasure: amountShape },
    ...{ pickedAmount: amountShape, pickedAmountInBaseUnitOfMeasure: amountShape },
    requestedAmountInBaseUnitOfMeasure: amountShape,
  }),
};

/** For an event. Without an id: the adapter's own messages, which are not in the contract. */
export function scopeOfEvent(id: EventName | null, own: EventOptions, variables: readonly string[]): PlaceholderScope {
  const scope = { ...anything(variables), ...booksScope, ...inputScope(id) };
  const element = own.each === undefined ? {} : { element: elementOfEvent(own.each, scope), index: amountShape };
  return {
    ...scope,
    ...element,
    ...{ entryId: leafShape, topic: leafShape, attempt: amountShape },
    mapped: own.map === undefined ? sourceOfEvent(id, own) : mappedShape(own.map),
  };
}

/** For a step: the answers of the steps before it, by name and by number, and the element of its own list. */
export function scopeOfStep(scope: PlaceholderScope, step: StepOptions, earlier: readonly string[]): PlaceholderScope {
  const answers = Object.fromEntries(
    earlier.flatMap((name, index) => [[name, null] as const, [String(index), null] as const]),
  );
  const before = { ...scope, steps: objectShape(answers) };
  const item = step.each === undefined ? {} : { item: elementOfEvent(step.each, before), itemIndex: amountShape };
  return { ...before, ...item };
}

/** The same once the step's own rules were applied. */
export const withMapped = (scope: PlaceholderScope, { map }: Pick<StepOptions, "map">): PlaceholderScope =>
  map === undefined ? scope : { ...scope, mapped: mappedShape(map) };

/** The input of an event's field rules: the event, or one element of the list that is sent element by element. */
export function sourceOfEvent(id: EventName | null, { each }: Pick<EventOptions, "each">): SourceShape {
  const scope = inputScope(id);
  return each === undefined ? (scope["input"] ?? null) : elementOfEvent(each, scope);
}

/** The same with the order and the line, which rules may read as well. */
export function sourceWithBooks(id: EventName | null, own: Pick<EventOptions, "each">): SourceShape {
  const source = sourceOfEvent(id, own);
  if (source?.properties === undefined) return source;
  return { ...source, properties: { ...booksScope, ...source.properties } };
}

function elementOfEvent(each: string, scope: PlaceholderScope): SourceShape {
  if (isExpression(each)) return null;
  const found = shapeAt(each, scope);
  return "shape" in found ? elementShape(found.shape) : null;
}

const mappedShape = (map: Readonly<Record<string, unknown>>): SourceShape => objectShape(anything(Object.keys(map)));

function inputScope(id: QueryId | EventName | null): PlaceholderScope {
  if (id === null) return { input: null, language: leafShape };
  const { body, params, query } = isDerivedEvent(id)
    ? { body: derivedEvents[id].body, params: undefined, query: undefined }
    : operationRow(id);
  const shapes = [body, params, query].map((schema) => shapeOfSchema(schema));
  // The members of several shapes, merged; Object.assign returns any.
  const members = Object.assign({}, ...shapes.map((shape) => shape?.properties ?? {})) as PlaceholderScope;
  return { ...members, input: body === undefined ? objectShape(members) : shapeOfSchema(body), language: leafShape };
}

/** Why a path can never have a value; undefined if it can. */
export function pathProblem(path: string, scope: PlaceholderScope): string | undefined {
  const found = shapeAt(path, scope);
  return "problem" in found ? found.problem : undefined;
}

/** The path of a placeholder: the first name is case-insensitive; `[0]` or `.0` index lists; `["name"]` accesses names outside the contract. */
export function shapeAt(path: string, scope: PlaceholderScope): { shape: SourceShape } | { problem: string } {
  const steps = [...path.matchAll(/\["([^"]*)"\]|\[(\d+)\]|([^.[\]]+)/g)];
  const [first, ...rest] = steps;
  const typed = first?.[3] ?? "";
  const name = Object.keys(scope).find((one) => one.toLowerCase() === typed.toLowerCase());
  if (name === undefined) {
    const meant = namesMeant(typed, Object.keys(scope));
    return { problem: `it has no value${meant.length === 0 ? "" : `; did you mean ${meant.join(" or ")}?`}` };
  }
  let shape = scope[name] ?? null;
  let before = name;
  for (const [text, quoted, index, plain = ""] of rest) {
    if (quoted !== undefined || shape === null) return { shape: null };
    const step = index ?? plain;
    // Earlier answers have names and numbers.
    const isNamed = shape.properties !== undefined && Object.hasOwn(shape.properties, step);
    const next = isNamed ? stepShape(shape, step) : stepShape(shape, /^\d+$/.test(step) ? Number(step) : step);
    if ("problem" in next) {
      const isOf = next.problem.startsWith("is ") ? `${before} ${next.problem}` : next.problem;
      return {
        problem: next.problem.startsWith("is ")
          ? isOf
          : `${isOf}. A name that is not in the contract is written ${before}["${step}"]`,
      };
    }
    shape = next.shape;
    before += text.startsWith("[") ? text : `.${text}`;
  }
  return { shape };
}
