import type { Entry, EntryState } from "../../../journal/entry.ts";
import { defaultLanguage } from "../../../messages/languages.ts";
import { localise } from "../../../messages/localise.ts";
import { bareLane } from "../../../operation/lane.ts";
import type { AnyOutcome } from "../../../operation/outcome.ts";
import { describeEvent } from "../describe-event.ts";
import { maskEmail, maskPersonal } from "./mask-personal.ts";

export interface Privacy {
  /** Whether operators' addresses may be shown. */
  readonly showPersonal: boolean;
}

/** An entry as shown in a list, without its body. Times are ISO 8601 in UTC. */
export interface EntryView {
  readonly seq: number;
  readonly id: string;
  readonly receivedAt: string;
  readonly direction: "out" | "in";
  readonly topic: string;
  readonly text: string;
  readonly state: ShownState;
  readonly reason: string | null;
  readonly target: string | null;
  /** Who pushed it: a sender, a connector that found it, or `key` for a caller with the API key. */
  readonly sender: string | null;
  readonly orders: readonly string[];
  readonly containers: readonly string[];
  readonly items: readonly string[];
  readonly operator: string | null;
  readonly answer: AnswerView | null;
  readonly answeredAt: string | null;
  readonly deliveredAt: string | null;
  readonly nextAttemptAt: string | null;
  readonly attempts: number;
  readonly targetFailures: number;
  readonly replays: number;
  readonly possibleRepeatOf: number | null;
}

export function entryView(entry: Entry, { showPersonal }: Privacy): EntryView {
  const { value, orders, containers, items, operator } = entryContent(entry);
  const text = describeEvent(entry.topic, value);
  return {
    seq: entry.seq,
    id: entry.id,
    receivedAt: isoTime(entry.receivedAt),
    direction: entry.direction,
    topic: entry.topic,
    text: showPersonal ? text : maskPersonal(text),
    state: shownState(entry),
    reason: isUnsent(entry) ? nothingDescribed : entry.reason,
    target: entry.target,
    sender: entry.sender,
    orders,
    containers,
    items,
    operator: operator === null || showPersonal ? operator : maskEmail(operator),
    answer: answerView(entry.answer),
    answeredAt: timeOrNull(entry.answeredAt),
    deliveredAt: timeOrNull(entry.deliveredAt),
    nextAttemptAt: timeOrNull(entry.nextAt),
    attempts: entry.attempts,
    targetFailures: entry.targetFailures,
    replays: entry.replays,
    possibleRepeatOf: entry.suspectOf,
  };
}

export const isoTime = (ms: number): string => new Date(ms).toISOString();
const timeOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));

/** The answer to the platform, in words. */
export interface AnswerView {
  readonly isSuccess: boolean;
  /** The name of the refusal. */
  readonly result: string | null;
  readonly message: string | null;
  readonly data: unknown;
}

function answerView(answer: string | null): AnswerView | null {
  if (answer === null) return null;
  // The journal stored it from an outcome; a text of an older version may have a key that no longer exists.
  const outcome = JSON.parse(answer) as AnyOutcome;
  return {
    isSuccess: outcome.ok,
    result: outcome.ok ? null : outcome.result,
    message: outcome.message === undefined ? null : localise(outcome.message, defaultLanguage),
    data: outcome.ok ? (outcome.data ?? null) : null,
  };
}

/** The state for display: an entry that was never sent anywhere is not called delivered. */
export type ShownState = EntryState | typeof notSent;

export const notSent = "not-sent";
const nothingDescribed = "nothing described";

/** Finished but never sent: its connector has no request for events of this kind. */
const isUnsent = ({ state, target, direction, deliveredAt }: Entry): boolean =>
  state === "delivered" && direction === "out" && target !== null && deliveredAt === null;

export const shownState = (entry: Entry): ShownState => (isUnsent(entry) ? notSent : entry.state);

/** The subject of an entry, from its lanes and its body. */
interface EntryContent {
  /** The body in documented spelling; undefined if retention has erased it. */
  readonly value: unknown;
  readonly orders: readonly string[];
  readonly containers: readonly string[];
  readonly items: readonly string[];
  readonly operator: string | null;
}

const orderPrefix = "wo:";
const containerPrefix = "ct:";

export function entryContent({ lanes, topic, body, payload }: Entry): EntryContent {
  const orders = new Set(named(lanes, orderPrefix));
  const containers = new Set(named(lanes, containerPrefix));
  const items = new Set<string>();
  let operator: string | null = null;
  const value = parsed(payload ?? body);
  // An item by its topic, or undefined where retention has erased it.
  if (topic === "items") items.add(String((value as { number?: unknown } | undefined)?.number ?? ""));
  for (const [name, member] of textMembers(value)) {
    if (name === "itemNumber") items.add(member);
    else if (name === "containerCode") containers.add(member);
    else if (name === "userEmail") operator ??= member;
  }
  return { value, orders: [...orders], containers: [...containers], items: [...items], operator };
}

const named = (lanes: Entry["lanes"], prefix: string): string[] =>
  lanes
    .map(({ lane }) => bareLane(lane))
    .flatMap((lane) => (lane.startsWith(prefix) ? [lane.slice(prefix.length)] : []));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Every text member at any depth. The recursion is bounded: the server refuses bodies deeper than 64 levels. */
function* textMembers(value: unknown): Generator<readonly [name: string, text: string]> {
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (typeof member === "string") yield [name, member];
    else yield* textMembers(member);
  }
}
