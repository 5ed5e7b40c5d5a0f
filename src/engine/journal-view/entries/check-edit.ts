import { type EventId, operationIds, operationRow } from "../../../contract/operations.ts";
import { type PushTopic, pushRow, pushTopics } from "../../../contract/pushes.ts";
import type { Problem } from "../../../contract/validate/problem.ts";
import { type Validator, validator } from "../../../contract/validate/validator.ts";
import type { Entry } from "../../../journal/entry.ts";
import { parseJsonKeepingDigits } from "../../../kit/json/exact-number.ts";
import { isOneOf } from "../../../kit/narrow.ts";
import { bareLane, lanesOfEvent } from "../../../operation/lane.ts";
import { readElement } from "../../intake/read-push.ts";
import { entryContent } from "./entry-view.ts";

export type CheckedEdit =
  | { readonly body: string }
  | { readonly problems: readonly Problem[] }
  /** The new body concerns another order or container. */
  | { readonly otherLanes: readonly string[] };

/** Checks an edited body, perhaps in another thread. */
export type CheckEdit = (entry: EditedEntry, text: string) => CheckedEdit | Promise<CheckedEdit>;

/** What an edit is compared with. */
export type EditedEntry = Pick<Entry, "topic" | "lanes" | "body" | "payload">;

const validators = new Map<string, Validator>();

/**
 * Checks that an edited body follows the same rules as a received one: valid for its row, in documented spelling, and
 * about the same order and containers. The entry keeps its place in its lanes, so a body about another order would
 * overtake the entries that wait for that order. The text must be JSON.
 */
export function checkEdit(entry: EditedEntry, text: string): CheckedEdit {
  const { topic, lanes } = entry;
  const value: unknown = JSON.parse(text);
  const checks = validatorOf(topic);
  if (checks === null) {
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? { body: text } : { problems: [{ field: "", expected: "object" }] };
  }
  const input = checks.canonical(value);
  if (!checks.isValid(input)) {
    return { problems: checks.problems(input, checks.canonical(parseJsonKeepingDigits(text))) };
  }
  const after = lanesAfter(topic, input, text);
  if ("problems" in after) return after;
  const wanted = new Set(after.lanes);
  if (wanted.size > 0) {
    const own = lanes.map(({ lane }) => bareLane(lane));
    const otherLanes = [...own.filter((lane) => !wanted.delete(lane)), ...wanted];
    if (otherLanes.length > 0) return { otherLanes };
  }
  const body = input === value ? text : JSON.stringify(checks.canonical(parseJsonKeepingDigits(text)));
  const otherContainers = isEvent(topic) ? containersChanged(entry, body) : [];
  return otherContainers.length > 0 ? { otherLanes: otherContainers } : { body };
}

/**
 * Returns the containers that the edit would change. A step names containers but is not in their lanes, so they are
 * compared here. A body that retention has erased cannot be compared.
 */
function containersChanged(entry: EditedEntry, body: string): string[] {
  if (entry.body === "") return [];
  const before = new Set(containersIn(entry));
  const after = new Set(containersIn({ ...entry, body, payload: null }));
  const changed = [...before, ...after].filter((code) => before.has(code) !== after.has(code));
  return changed.map((code) => `container ${code}`);
}

const containersIn = (entry: EditedEntry) => entryContent({ ...entry, lanes: [] }).containers;

/**
 * The lanes in which the new body would have been accepted; none if no table defines them. A push is read as it is when
 * it arrives, with all digits: an amount that a number cannot hold would be rounded here.
 */
function lanesAfter(
  topic: string,
  input: unknown,
  text: string,
): { readonly lanes: readonly string[] } | { readonly problems: readonly Problem[] } {
  if (isEvent(topic)) return { lanes: lanesOfEvent(topic, input) };
  if (!isPush(topic)) return { lanes: [] };
  // Neither lanes nor problems depend on a time zone.
  const reading = readElement(topic, parseJsonKeepingDigits(text), { timeZone: "UTC", timeOfDay: "00:00" });
  return "problems" in reading ? reading : { lanes: reading.entry.lanes };
}

const isPush = (topic: string): topic is PushTopic => isOneOf(pushTopics, topic);

const isEvent = (topic: string): topic is EventId =>
  isOneOf(operationIds, topic) && operationRow(topic).kind === "event";

/** Returns the checks of a topic; null for the adapter's own messages, which no table describes. */
function validatorOf(topic: string): Validator | null {
  const known = validators.get(topic);
  if (known !== undefined) return known;
  const schema = isEvent(topic) ? operationRow(topic).body : isPush(topic) ? pushRow(topic).element : undefined;
  if (schema === undefined) return null;
  const made = validator(schema);
  validators.set(topic, made);
  return made;
}
