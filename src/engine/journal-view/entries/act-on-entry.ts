import { type EventId, operationIds, operationRow } from "../../../contract/operations.ts";
import { type PushTopic, pushRow, pushTopics } from "../../../contract/pushes.ts";
import { type Problem, type Validator, validator } from "../../../contract/validate/validator.ts";
import type { Entry, EntryState } from "../../../journal/entry.ts";
import type { Journal, PersonAction } from "../../../journal/journal.ts";
import { parseJsonKeepingDigits } from "../../../kit/json/exact-number.ts";
import { isOneOf } from "../../../kit/narrow.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import { bareLane, lanesOfEvent } from "../../../operation/lane.ts";
import type { Outbox } from "../../delivery/outbox.ts";
import { readElement } from "../../intake/read-push.ts";
import { entryContent } from "./entry-view.ts";

export interface ActNeeds {
  readonly journal: Pick<Journal, "read">;
  readonly outbox: Pick<Outbox, "act">;
  readonly clock: Clock;
}

/** The action an operator requests on an entry. */
export type Decision =
  | { readonly action: "retry"; readonly reason?: string }
  | { readonly action: "skip" | "replay"; readonly reason: string }
  | { readonly action: "edit"; readonly reason: string; readonly body: EditedBody };

export type Acted =
  /** Done and recorded in the audit; so many entries were released. */
  | { readonly done: Entry; readonly releasedCount: number }
  | { readonly notPossible: string }
  | { readonly problems: readonly Problem[] };

export async function actOnEntry(needs: ActNeeds, entry: Entry, decision: Decision, operator: string): Promise<Acted> {
  const { journal, outbox, clock } = needs;
  const refusal = refusalOf(entry, decision.action);
  if (refusal !== null) return { notPossible: refusal };
  let action: PersonAction;
  if (decision.action === "edit") {
    const checked = checkEdit(entry, decision.body);
    if ("problems" in checked) return checked;
    if ("otherLanes" in checked) return { notPossible: otherLanesText(checked.otherLanes) };
    action = { action: "edit", body: checked.body, reason: decision.reason };
  } else action = decision;
  const released = await outbox.act(entry.seq, action, operator, clock.now());
  // It was delivered or leased after it was read.
  if (released === null) return { notPossible: raceText(journal.read.entry(entry.seq) ?? entry, decision.action) };
  return { done: journal.read.entry(entry.seq) ?? entry, releasedCount: released.length };
}

function refusalOf(entry: Entry, action: ActionName): string | null {
  if (entry.target === null) return `Entry ${entry.seq} is only kept in the journal: it has no target.`;
  return actionStates[action].includes(entry.state) ? null : raceText(entry, action);
}

const raceText = ({ seq, state }: Entry, action: ActionName): string =>
  `Entry ${seq} is ${state}. ${action} is possible while it is ${actionStates[action].join(" or ")}.`;

export const otherLanesText = (lanes: readonly string[]): string =>
  `The body must stay about the same order and containers (differs in ${lanes.join(", ")}). ` +
  "Skip the entry and book it in the external system by hand instead.";

export type ActionName = PersonAction["action"];

/** The states in which the journal accepts each action. The journal decides; a test keeps the two equal. */
export const actionStates: Readonly<Record<ActionName, readonly EntryState[]>> = {
  retry: ["dead", "retry"],
  edit: ["dead", "retry", "accepted"],
  skip: ["dead", "retry", "accepted"],
  replay: ["delivered", "discarded"],
};

export const actionNames = ["retry", "edit", "skip", "replay"] as const satisfies readonly ActionName[];

/** The actions possible for this entry now. An entry without a target cannot be sent again. */
export const possibleActions = ({ state, target }: Entry): ActionName[] =>
  target === null ? [] : actionNames.filter((action) => actionStates[action].includes(state));

export const unfinishedStates = ["accepted", "inflight", "retry", "dead"] as const satisfies readonly EntryState[];

/** Not finished: open or dead, so it blocks later entries of its lanes. */
export const isUnfinished = ({ state }: Entry): boolean => isOneOf(unfinishedStates, state);

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
  const body = input === value ? text : JSON.stringify(checks.canonical(parseJsonKeepingDigits(text)));
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
