import { type EventId, operationIds, operationRow } from "../../../contract/operations.ts";
import { type PushTopic, pushRow, pushTopics } from "../../../contract/pushes.ts";
import { type Problem, type Validator, validator } from "../../../contract/validate/validator.ts";
import type { Entry } from "../../../journal/entry.ts";
import { isOneOf } from "../../../kit/narrow.ts";
import { bareLane, lanesOfEvent } from "../../../operation/lane.ts";
import { readElement } from "../../intake/read-push.ts";
import { entryContent } from "./entry-view.ts";

/** A new body: the parsed input and its text. */
export interface EditedBody {
  readonly value: unknown;
  readonly text: string;
}

export type CheckedEdit =
  | { readonly body: string }
  | { readonly problems: readonly Problem[] }
  /** The new body is about another order or container. */
  | { readonly otherLanes: readonly string[] };

const validators = new Map<string, Validator>();

/**
 * An edited body must satisfy the same rules as a received one: valid for its row, in documented spelling, and about
 * the same order and containers. The entry keeps its place in the lanes it was accepted in; a body about another order
 * would overtake the entries waiting for that order.
 */
export function checkEdit(entry: Entry, { value, text }: EditedBody): CheckedEdit {
  const { topic, lanes } = entry;
  const checks = validatorOf(topic);
  if (checks === null) {
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? { body: text } : { problems: [{ field: "", expected: "object" }] };
  }
  const input = checks.canonical(value);
  if (!checks.isValid(input)) return { problems: checks.problems(input) };
  const wanted = new Set(lanesAfter(topic, input));
  if (wanted.size > 0) {
    const own = lanes.map(({ lane }) => bareLane(lane));
    const otherLanes = [...own.filter((lane) => !wanted.delete(lane)), ...wanted];
    if (otherLanes.length > 0) return { otherLanes };
  }
  const body = input === value ? text : JSON.stringify(input);
  const otherContainers = isEvent(topic) ? containersChanged(entry, body) : [];
  return otherContainers.length > 0 ? { otherLanes: otherContainers } : { body };
}

/** A step names containers but is not in their lanes. A body that retention has erased cannot be compared. */
function containersChanged(entry: Entry, body: string): string[] {
  if (entry.body === "") return [];
  const before = new Set(containersIn(entry));
  const after = new Set(containersIn({ ...entry, body, payload: null }));
  const changed = [...before, ...after].filter((code) => before.has(code) !== after.has(code));
  return changed.map((code) => `container ${code}`);
}

const containersIn = (entry: Entry) => entryContent({ ...entry, lanes: [] }).containers;

/** The lanes it would have been accepted in; none if no table defines them. */
function lanesAfter(topic: string, input: unknown): readonly string[] {
  if (isEvent(topic)) return lanesOfEvent(topic, input);
  if (!isPush(topic)) return [];
  // Used for lanes only, which do not depend on a time zone.
  const reading = readElement(topic, input, { timeZone: "UTC", timeOfDay: "00:00" });
  return "entry" in reading ? reading.entry.lanes : [];
}

const isPush = (topic: string): topic is PushTopic => isOneOf(pushTopics, topic);

const isEvent = (topic: string): topic is EventId =>
  isOneOf(operationIds, topic) && operationRow(topic).kind === "event";

/** Null for the adapter's own messages, which no table describes. */
function validatorOf(topic: string): Validator | null {
  const known = validators.get(topic);
  if (known !== undefined) return known;
  const schema = isEvent(topic) ? operationRow(topic).body : isPush(topic) ? pushRow(topic).element : undefined;
  if (schema === undefined) return null;
  const made = validator(schema);
  validators.set(topic, made);
  return made;
}
