import { type EventId, operationRow, type QueryId } from "../../contract/operations.ts";
import {
  elementShape,
  leafShape,
  namesMeant,
  objectShape,
  type SourceShape,
  shapeOfSchema,
  stepShape,
} from "../../mapping/source/source-shape.ts";
import type { EventOptions } from "./options/operation-options.ts";

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

/** For an event. Without an id: the adapter's own messages, which are not in the contract. */
export function scopeOfEvent(id: EventId | null, own: EventOptions, variables: readonly string[]): PlaceholderScope {
  const scope = { ...anything(variables), ...inputScope(id) };
  const element = own.each === undefined ? {} : { element: elementOfEvent(own.each, scope), index: leafShape };
  return {
    ...scope,
    ...element,
    ...{ entryId: leafShape, topic: leafShape, attempt: leafShape, steps: null },
    mapped: own.map === undefined ? sourceOfEvent(id, own) : mappedShape(own.map),
  };
}

/** The input of an event's field rules: the event, or one element of the list that is sent element by element. */
export function sourceOfEvent(id: EventId | null, { each }: Pick<EventOptions, "each">): SourceShape {
  const scope = inputScope(id);
  return each === undefined ? (scope["input"] ?? null) : elementOfEvent(each, scope);
}

function elementOfEvent(each: string, scope: PlaceholderScope): SourceShape {
  const found = shapeAt(each, scope);
  return "shape" in found ? elementShape(found.shape) : null;
}

const mappedShape = (map: Readonly<Record<string, unknown>>): SourceShape => objectShape(anything(Object.keys(map)));

function inputScope(id: QueryId | EventId | null): PlaceholderScope {
  if (id === null) return { input: null, language: leafShape };
  const { body, params, query } = operationRow(id);
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
function shapeAt(path: string, scope: PlaceholderScope): { shape: SourceShape } | { problem: string } {
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
    const next = stepShape(shape, /^\d+$/.test(step) ? Number(step) : step);
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
