import type { Relocation } from "../../../contract/schemas/events.ts";
import type { Entry, EntryState } from "../../../journal/entry.ts";
import type { JournalReader } from "../../../journal/journal.ts";
import { parseJson } from "../../../kit/json/parse/parse-json.ts";
import { parseStored } from "../../../kit/json/parse-in-turns.ts";
import { defaultLanguage, type Language } from "../../../messages/languages.ts";
import { localise } from "../../../messages/localise.ts";
import { mapPhrase, type Phrase } from "../../../messages/phrases/phrase.ts";
import { bareLane, foldedCode } from "../../../operation/lane.ts";
import type { AnyOutcome } from "../../../operation/outcome.ts";
import { asSent } from "../../../operation/platform-ids.ts";
import { maskBodyByName } from "../../../operation/secrets/mask-by-name.ts";
import { maskBodyInTurns } from "../../../operation/secrets/mask-in-turns.ts";
import { describeEvent } from "./describe-event.ts";
import { maskEmail, maskPersonal } from "./mask-personal.ts";

export interface Privacy {
  /** Whether operators' addresses may be shown, and bodies as they were sent: an edit begins with them. */
  readonly showPersonal: boolean;
  /** The reader's language; absent: English. Texts that operators on the floor received are shown in it. */
  readonly language?: Language;
}

/** An entry as shown in a list, without its body. Times are ISO 8601 in UTC. */
export interface EntryView {
  readonly seq: number;
  readonly id: string;
  readonly receivedAt: string;
  readonly direction: "out" | "in";
  readonly topic: string;
  /** In English. */
  readonly text: string;
  /** The text as a phrase that can be said in every language; null if the text is not the adapter's own. */
  readonly phrase: Phrase | null;
  readonly state: ShownState;
  readonly reason: string | null;
  readonly target: string | null;
  /** Who pushed the entry: a sender, a connector that found it, or `key` for a caller with the API key. */
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
  /** The error of the latest attempt if the entry is dead or being retried; null also if the attempt was not read. */
  readonly lastError: string | null;
}

/** Returns the error that a list shows beside an entry: why it is not delivered. */
export function lastErrorOf(read: Pick<JournalReader, "latestAttempt">, { seq, state }: Entry): string | null {
  return state === "dead" || state === "retry" ? (read.latestAttempt(seq)?.error ?? null) : null;
}

/** Returns the same as `entryView`. While a long body or answer is parsed, other requests run. */
export const entryViewInTurns = async (
  entry: Entry,
  privacy: Privacy,
  lastError: string | null = null,
): Promise<EntryView> => {
  const content = await contentInTurns(entry);
  return entryView(entry, privacy, { lastError, content, answer: await answerInTurns(entry, privacy) });
};

export function entryView(
  entry: Entry,
  { showPersonal, language }: Privacy,
  {
    lastError = null,
    content = entryContent(entry),
    answer = answerView(showPersonal ? entry.answer : entry.answer && maskBodyByName(entry.answer), language),
  }: { lastError?: string | null; content?: EntryContent; answer?: AnswerView | null } = {},
): EntryView {
  const { value, orders, containers, items, operator } = content;
  const { text, phrase } = describeEvent(entry.topic, value);
  return {
    seq: entry.seq,
    id: entry.id,
    receivedAt: isoTime(entry.receivedAt),
    direction: entry.direction,
    topic: entry.topic,
    text: showPersonal ? text : maskPersonal(text),
    phrase: showPersonal || phrase === null ? phrase : mapPhrase(phrase, maskPersonal),
    state: shownState(entry),
    reason: isUnsent(entry) ? (entry.reason ?? nothingDescribed) : entry.reason,
    target: entry.target,
    sender: entry.sender,
    orders,
    containers,
    items,
    operator: operator === null || showPersonal ? operator : maskEmail(operator),
    answer,
    answeredAt: timeOrNull(entry.answeredAt),
    deliveredAt: timeOrNull(entry.deliveredAt),
    nextAttemptAt: timeOrNull(entry.nextAt),
    attempts: entry.attempts,
    targetFailures: entry.targetFailures,
    replays: entry.replays,
    possibleRepeatOf: entry.suspectOf,
    lastError: lastError === null || showPersonal ? lastError : maskPersonal(lastError),
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

function answerView(answer: string | null, language: Language = defaultLanguage, stored?: unknown): AnswerView | null {
  if (answer === null) return null;
  // The journal stored an outcome here. One of an older version may have a text key that no longer exists.
  const outcome = (stored ?? JSON.parse(answer)) as AnyOutcome;
  return {
    isSuccess: outcome.ok,
    result: outcome.ok ? null : outcome.result,
    message: outcome.message === undefined ? null : localise(outcome.message, language),
    data: outcome.ok ? (outcome.data ?? null) : null,
  };
}

/** Returns the answer with all its data. While a long answer is parsed, other requests run. */
export async function answerInTurns(
  { answer: stored }: Pick<Entry, "answer">,
  { language, showPersonal }: Privacy,
): Promise<AnswerView | null> {
  const answer = stored === null || showPersonal ? stored : await maskBodyInTurns(stored);
  if (answer === null || answer.length <= longBody) return answerView(answer, language);
  return answerView(answer, language, await parseStored(answer));
}

/**
 * Returns the view for a list: without the data of a long answer, which would be repeated for every step of a long
 * order.
 */
export const listed = (view: EntryView, { answer }: Entry): EntryView =>
  view.answer === null || answer === null || answer.length <= longBody
    ? view
    : { ...view, answer: { ...view.answer, data: null } };

/** The state for display: an entry that was never sent anywhere is not called delivered. */
export type ShownState = EntryState | typeof notSent;

export const notSent = "not-sent";
const nothingDescribed = "nothing described";

/** Whether the entry is finished but was never sent, because its connector has no request for events of this kind. */
const isUnsent = ({ state, target, direction, deliveredAt }: Entry): boolean =>
  state === "delivered" && direction === "out" && target !== null && deliveredAt === null;

export const shownState = (entry: Entry): ShownState => (isUnsent(entry) ? notSent : entry.state);

/** The subject of an entry, from its lanes and its body. */
export interface EntryContent {
  /** The body in documented spelling; undefined if retention has erased it. */
  readonly value: unknown;
  readonly orders: readonly string[];
  readonly containers: readonly string[];
  readonly items: readonly string[];
  readonly operator: string | null;
}

const orderPrefix = "wo:";
const containerPrefix = "ct:";

/** The orders that an entry is about; they do not depend on its body. */
export const ordersOf = ({ lanes }: Pick<Entry, "lanes">): readonly string[] => [...new Set(named(lanes, orderPrefix))];

/** Those of an entry about several orders and containers that have this container. */
export function ordersInContainer({ body, payload }: Pick<Entry, "body" | "payload">, code: string): string[] {
  // It is a list of moves; undefined if retention has erased it.
  const moves = parsed(payload ?? body) as readonly Partial<Relocation>[] | undefined;
  const folded = foldedCode(code);
  return (Array.isArray(moves) ? moves : []).flatMap(({ containerCode, workOrder }) =>
    containerCode !== undefined && foldedCode(containerCode) === folded && workOrder !== undefined
      ? [workOrder.number]
      : [],
  );
}

/** While a longer body is parsed, other requests run: each step of an order with 10,000 lines has three megabytes. */
const longBody = 64 * 1024;

export async function contentInTurns(entry: Entry): Promise<EntryContent> {
  // With the ids that the platform sent: nobody knows the substitutes. A body that is not JSON is shown as text.
  return entryContent(entry, await asSent(entry).catch(() => undefined));
}

export function entryContent(
  { lanes, topic, body, payload }: Pick<Entry, "lanes" | "topic" | "body" | "payload">,
  value: unknown = parsed(payload ?? body),
): EntryContent {
  const containers = new Set(named(lanes, containerPrefix));
  const items = new Set<string>();
  let operator: string | null = null;
  // By its topic it is an item, or undefined if retention has erased it.
  if (topic === "items") items.add(String((value as { number?: unknown } | undefined)?.number ?? ""));
  for (const [name, member] of textMembers(value)) {
    if (name === "itemNumber") items.add(member);
    else if (name === "containerCode") containers.add(member);
    else if (name === "userEmail") operator ??= member;
  }
  return { value, orders: ordersOf({ lanes }), containers: [...containers], items: [...items], operator };
}

const named = (lanes: Entry["lanes"], prefix: string): string[] =>
  lanes
    .map(({ lane }) => bareLane(lane))
    .flatMap((lane) => (lane.startsWith(prefix) ? [lane.slice(prefix.length)] : []));

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/**
 * Yields every text member at any depth, except in the copy of the order that each step carries: a step is about its
 * own item, not about all items of the order. The recursion is bounded, because the server refuses bodies deeper than
 * 64 levels.
 */
function* textMembers(value: unknown): Generator<readonly [name: string, text: string]> {
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (typeof member === "string") yield [name, member];
    else if (name !== "updateWorkOrderRequest") yield* textMembers(member);
  }
}
