import { changeReceiptSchema, type ReceiptTopic, receiptTopic } from "../../contract/change-receipt.ts";
import { type DerivedEventId, derivedEvents, isDerivedEvent } from "../../contract/derived-events.ts";
import type { Operation } from "../../contract/operation.ts";
import { type EventId, operationRow, type QueryId } from "../../contract/operations.ts";
import { requestLineSchema, workOrderSchema } from "../../contract/schemas/work-order.ts";
import { parsedPath, pathFlaw, pathWritten } from "../../kit/json/member-path.ts";
import { namesMeant, withNext } from "../../kit/nearest-name.ts";
import {
  elementShape,
  leafShape,
  objectShape,
  type SourceShape,
  shapeOfSchema,
  stepShape,
} from "../../mapping/source/source-shape.ts";
import type { EventOptions, StepOptions } from "./options/operation-options.ts";
import { isExpression } from "./steps/condition-options.ts";

/** An event of the platform, or one that the adapter derives. */
export type EventName = EventId | DerivedEventId;

/** What a connector sends: an event, a receipt, or with null something else that is not known here. */
export type SentName = EventName | ReceiptTopic | null;

/** What placeholders can refer to, as far as it is known before the first call. */
export type PlaceholderScope = Readonly<Record<string, SourceShape>>;

const paging: PlaceholderScope = { page: leafShape, offset: leafShape, cursor: null, limit: leafShape };
const ownValues = (names: readonly string[]): PlaceholderScope =>
  Object.fromEntries(names.map((name) => [name, leafShape] as const));

/** For a query or a poll. */
export const scopeOfQuery = (id: QueryId | null, variables: readonly string[]): PlaceholderScope => ({
  ...ownValues(variables),
  ...inputScope(id),
  ...paging,
});

export const scopeOfPoll = (variables: readonly string[]): PlaceholderScope => ({
  ...scopeOfQuery(null, variables),
  since: leafShape,
});

export const scopeOfDetail = (variables: readonly string[]): PlaceholderScope => ({
  ...ownValues(variables),
  ...inputScope(null),
  record: null,
});

const amountShape: SourceShape = { type: "number" };

/** The order and the line that an event is about. */
const booksScope: PlaceholderScope = {
  order: objectShape({ ...shapeOfSchema(workOrderSchema)?.properties, data: null }),
  line: objectShape({
    ...shapeOfSchema(requestLineSchema)?.properties,
    ...{ data: null, confirmedAmount: amountShape, confirmedAmountInBaseUnitOfMeasure: amountShape },
    ...{ pickedAmount: amountShape, pickedAmountInBaseUnitOfMeasure: amountShape },
    requestedAmountInBaseUnitOfMeasure: amountShape,
  }),
};

/** For an event or a receipt. */
export function scopeOfEvent(
  id: SentName,
  own: Pick<EventOptions, "each" | "map">,
  variables: readonly string[],
): PlaceholderScope {
  const scope = { ...ownValues(variables), ...booksScope, ...inputScope(id) };
  const element = own.each === undefined ? {} : { element: elementOfEvent(own.each, scope), index: amountShape };
  return {
    ...scope,
    ...element,
    ...{ entryId: leafShape, topic: leafShape, attempt: amountShape },
    mapped: own.map === undefined ? sourceOfEvent(id, own) : mappedShape(own.map),
  };
}

/**
 * The scope of a step: it adds the answers of earlier steps, by name and by number, and the element of its own list.
 */
export function scopeOfStep(scope: PlaceholderScope, step: StepOptions, earlier: readonly string[]): PlaceholderScope {
  const answers = Object.fromEntries(
    earlier.flatMap((name, index) => [[name, null] as const, [String(index), null] as const]),
  );
  const before = { ...scope, steps: objectShape(answers) };
  const item = step.each === undefined ? {} : { item: elementOfEvent(step.each, before), itemIndex: amountShape };
  return { ...before, ...item };
}

/** The scope of a step after its own mapping was applied. */
export const withMapped = (scope: PlaceholderScope, { map }: Pick<StepOptions, "map">): PlaceholderScope =>
  map === undefined ? scope : { ...scope, mapped: mappedShape(map) };

/** The input of an event's field rules: the event, or one element of the list that is sent element by element. */
function sourceOfEvent(id: SentName, { each }: Pick<EventOptions, "each">): SourceShape {
  const scope = inputScope(id);
  return each === undefined ? (scope["input"] ?? null) : elementOfEvent(each, scope);
}

/** Like sourceOfEvent, with everything else that the event's own mapping rules may read too. */
export function sourceWithSubject(id: SentName, own: Pick<EventOptions, "each">): SourceShape {
  const source = sourceOfEvent(id, own);
  if (source?.properties === undefined) return source;
  const scope = scopeOfEvent(id, own, []);
  const called = calledNames.flatMap((name) => (Object.hasOwn(scope, name) ? [[name, scope[name] ?? null]] : []));
  return { ...source, properties: { ...booksScope, ...source.properties, ...Object.fromEntries(called) } };
}

/** What an event's own mapping rules may read besides its members, its order and its line. */
export const calledNames = ["entryId", "topic", "attempt", "language", "input", "element", "index"] as const;

function elementOfEvent(each: string, scope: PlaceholderScope): SourceShape {
  if (isExpression(each)) return null;
  const found = shapeAt(each, scope);
  return "shape" in found ? elementShape(found.shape) : null;
}

type Rules = Readonly<Record<string, unknown>>;
const isRules = (value: unknown): value is Rules =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * The shape that mapping rules make, as far as it is known. A nested name that no rule makes would never have a value.
 */
const mappedShape = (map: Rules): SourceShape =>
  objectShape(Object.fromEntries(Object.entries(map).map(([name, rule]) => [name, shapeOfRule(rule)])));

function shapeOfRule(rule: unknown): SourceShape {
  if (!isRules(rule)) return null;
  const { each, map, members } = rule;
  if (each !== undefined) return { type: "array", items: isRules(map) ? mappedShape(map) : null };
  if (isRules(members)) return mappedShape(members);
  return ["from", "value", "join", "all"].some((way) => Object.hasOwn(rule, way)) ? null : mappedShape(rule);
}

function inputScope(id: QueryId | SentName): PlaceholderScope {
  if (id === null) return { input: null, language: leafShape };
  const { body, params, query } = inputOf(id);
  const shapes = [body, params, query].map((schema) => shapeOfSchema(schema));
  // The members of several shapes, merged; Object.assign returns any.
  const members = Object.assign({}, ...shapes.map((shape) => shape?.properties ?? {})) as PlaceholderScope;
  return { ...members, input: body === undefined ? objectShape(members) : shapeOfSchema(body), language: leafShape };
}

function inputOf(id: QueryId | EventName | ReceiptTopic): Pick<Operation, "body" | "params" | "query"> {
  if (id === receiptTopic) return { body: changeReceiptSchema };
  return isDerivedEvent(id) ? { body: derivedEvents[id].body } : operationRow(id);
}

/** Why a path can never have a value; undefined if it can. */
export function pathProblem(path: string, scope: PlaceholderScope): string | undefined {
  const found = shapeAt(path, scope);
  return "problem" in found ? found.problem : undefined;
}

/**
 * Resolves the path of a placeholder. The first name is case-insensitive; `[0]` or `.0` index lists; `["name"]`
 * accesses names outside the contract.
 */
export function shapeAt(path: string, scope: PlaceholderScope): { shape: SourceShape } | { problem: string } {
  const flaw = pathFlaw(path);
  const parsed = flaw === undefined ? parsedPath(path) : null;
  const [first, ...rest] = parsed?.steps ?? [];
  if (parsed === null || first === undefined) return { problem: flaw ?? `${JSON.stringify(path)} is not a path` };
  const name = Object.keys(scope).find((one) => one.toLowerCase() === String(first).toLowerCase());
  if (name === undefined) {
    const meant = namesMeant(String(first), Object.keys(scope));
    return { problem: `it has no value${meant.length === 0 ? "" : `; did you mean ${meant.join(" or ")}?`}` };
  }
  let shape = scope[name] ?? null;
  for (const [index, step] of rest.entries()) {
    if (shape === null || parsed.quoted?.includes(index + 1)) return { shape: null };
    // Answers of earlier steps can be accessed by name and by number.
    const isNamed = shape.properties !== undefined && Object.hasOwn(shape.properties, step);
    const isIndex = !isNamed && /^\d+$/.test(String(step));
    const next = stepShape(shape, isIndex ? Number(step) : String(step));
    if ("problem" in next) {
      const before = pathWritten([name, ...rest.slice(0, index)]);
      return {
        problem: next.problem.startsWith("is ")
          ? `${before} ${next.problem}`
          : withNext(next.problem, `A name that is not in the contract is written ${before}["${step}"]`),
      };
    }
    shape = next.shape;
  }
  return { shape };
}
