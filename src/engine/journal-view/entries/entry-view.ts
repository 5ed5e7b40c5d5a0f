import type { ContainerFinished, OrderFinished } from "../../../contract/derived-events.ts";
import { WorkOrderStatus } from "../../../contract/enums.ts";
import type { EventId, InputOf } from "../../../contract/operations.ts";
import type { PushedElement, PushTopic } from "../../../contract/pushes.ts";
import type { PickingSummary } from "../../../contract/schemas/confirm-step.ts";
import type { Entry, EntryState } from "../../../journal/entry.ts";
import type { JournalReader } from "../../../journal/journal.ts";
import { parseInTurns } from "../../../kit/json/parse-in-turns.ts";
import { defaultLanguage } from "../../../messages/languages.ts";
import { localise } from "../../../messages/localise.ts";
import { bareLane } from "../../../operation/lane.ts";
import type { AnyOutcome } from "../../../operation/outcome.ts";
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
  /** The error of the latest attempt of an entry that is dead or being retried; null also where it was not read. */
  readonly lastError: string | null;
}

/** The error that a list shows beside an entry: why it is not delivered. */
export function lastErrorOf(read: Pick<JournalReader, "latestAttempt">, { seq, state }: Entry): string | null {
  return state === "dead" || state === "retry" ? (read.latestAttempt(seq)?.error ?? null) : null;
}

/** The same as `entryView`; while a long body is parsed, other requests run. */
export const entryViewInTurns = async (
  entry: Entry,
  privacy: Privacy,
  lastError: string | null = null,
): Promise<EntryView> => entryView(entry, privacy, { lastError, content: await contentInTurns(entry) });

export function entryView(
  entry: Entry,
  { showPersonal }: Privacy,
  { lastError = null, content = entryContent(entry) }: { lastError?: string | null; content?: EntryContent } = {},
): EntryView {
  const { value, orders, containers, items, operator } = content;
  const text = describeEvent(entry.topic, value);
  return {
    seq: entry.seq,
    id: entry.id,
    receivedAt: isoTime(entry.receivedAt),
    direction: entry.direction,
    topic: entry.topic,
    text: showPersonal ? text : maskPersonal(text),
    state: shownState(entry),
    reason: isUnsent(entry) ? (entry.reason ?? nothingDescribed) : entry.reason,
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

/** Longer bodies are parsed in turns: each step of an order of 10,000 lines has three megabytes. */
const longBody = 64 * 1024;
/** More than a body may have. */
const maxDepth = 100;

export async function contentInTurns(entry: Entry): Promise<EntryContent> {
  const text = entry.payload ?? entry.body;
  if (text.length <= longBody) return entryContent(entry);
  // A body that is no JSON is shown as a text.
  const value = await parseInTurns(Buffer.from(text), { parse: JSON.parse, maxDepth }).catch(() => undefined);
  return entryContent(entry, value);
}

export function entryContent(
  { lanes, topic, body, payload }: Entry,
  value: unknown = parsed(payload ?? body),
): EntryContent {
  const containers = new Set(named(lanes, containerPrefix));
  const items = new Set<string>();
  let operator: string | null = null;
  // An item by its topic, or undefined where retention has erased it.
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
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Every text member at any depth, but for the model of the order that each step repeats: a step is about its own item, not
 * about all of the order's. The recursion is bounded: the server refuses bodies deeper than 64 levels.
 */
function* textMembers(value: unknown): Generator<readonly [name: string, text: string]> {
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (typeof member === "string") yield [name, member];
    else if (name !== "updateWorkOrderRequest") yield* textMembers(member);
  }
}

/** The embedded store's message to the external system about a change; `src/store` has the full type. */
interface Receipt {
  readonly receipt: string;
  readonly requestExternalIdentifier?: string | null;
  readonly itemNumber?: string | null;
  readonly lotNumber?: string | null;
  readonly atStep?: number | null;
  readonly pickedAmount?: number | null;
}

type Described = { readonly [Id in EventId]: InputOf<Id> } & { readonly [Topic in PushTopic]: PushedElement[Topic] } & {
  readonly changeReceipt: Receipt;
  readonly orderFinished: OrderFinished;
  readonly containerFinished: ContainerFinished;
};

/** One line that describes the event, for lists. */
const sentences: { readonly [Topic in keyof Described]: (said: Described[Topic]) => string } = {
  confirmStep: (step) => {
    const placed = step.amountToConfirmPlacingInBaseUnitOfMeasure;
    const what = typeof placed === "number" ? `${placed} placed` : picked(step.amountToConfirmPickingSummary);
    return `line ${step.requestId}${of(step.itemNumber)}: ${what}${left(step.requestRemainingAmountInBaseUnitOfMeasure)}`;
  },
  confirmCartStep: (step) =>
    `line ${step.requestId}${of(step.itemNumber)}: ${picked(step.amountToConfirmSummary)}${left(step.requestRemainingAmountInBaseUnitOfMeasure)}`,
  confirmPutWallPlacement: (put) =>
    `${put.completedAmount} × ${put.itemNumber} put${at(put.confirmedLocationName)} on the wall`,
  cancelPutWallItem: ({ itemNumber }) => `${itemNumber} cancelled at the wall`,
  cancelWorkOrderRequest: ({ request, requestExternalIdentifier }) =>
    `line ${request?.requestId ?? requestExternalIdentifier}${of(request?.itemNumber)} cancelled`,
  changeStatus: ({ status }) => `status ${nameOf(status)}`,
  attachWorkOrder: ({ containerCode, isAbandonedOrCancelled }) =>
    `container ${containerCode} ${isAbandonedOrCancelled ? "released" : "attached"}`,
  relocateCartContainers: (moves) =>
    moves.map((move) => `container ${move.containerCode} moved to ${move.destinationLocationName}`).join(", ") ||
    "nothing moved",
  workOrders: ({ requests, dueDate }) => `order of ${counted(requests.length, "line")}, due ${dueDate}`,
  cancellations: ({ requestExternalIdentifier, itemNumber, lotNumber, requestedAmount, reason }) => {
    const line = requestExternalIdentifier || [itemNumber, lotNumber].filter(Boolean).join(" lot ");
    // It may be more than before.
    const what =
      typeof requestedAmount === "number" && requestedAmount > 0 ? `wanted: ${requestedAmount}` : "cancelled";
    return `${line ? `line ${line}` : "the order"} ${what}${reason ? ` (${reason})` : ""}`;
  },
  changeReceipt: ({ receipt, requestExternalIdentifier, itemNumber, lotNumber, atStep, pickedAmount }) => {
    const line = requestExternalIdentifier || [itemNumber, lotNumber].filter(Boolean).join(" lot ");
    const facts = [
      typeof atStep === "number" ? `at step ${atStep}` : "",
      typeof pickedAmount === "number" ? `${pickedAmount} picked` : "",
    ].filter((fact) => fact !== "");
    return `${receipt}: ${line ? `line ${line}` : "the order"}${facts.length === 0 ? "" : ` (${facts.join(", ")})`}`;
  },
  orderFinished: ({ outcome, lines, containers }) => {
    const short = lines.filter(({ isComplete }) => !isComplete).length;
    const parts = [counted(lines.length, "line"), ...(short === 0 ? [] : [`${short} short`])];
    return `order finished, ${outcome}: ${[...parts, ...(containers.length === 0 ? [] : [`in ${containers.join(", ")}`])].join(", ")}`;
  },
  containerFinished: ({ containerCode, lines, destinationLocationName }) =>
    `container ${containerCode} finished${at(destinationLocationName)}: ${counted(lines.length, "line")}`,
  items: ({ number, name }) => `item ${number}${name ? ` (${name})` : ""}`,
  indexableValues: ({ value }) => (value ? `indexed by ${value}` : "indexed by nothing"),
  stock: ({ itemNumber, locationName, amount }) => `${amount} × ${itemNumber} on hand${at(locationName)}`,
};

const maxCharacters = 200;

function describeEvent(topic: string, value: unknown): string {
  if (value === undefined) return "content erased by retention";
  // One of its members, by the same line.
  const sentence = Object.hasOwn(sentences, topic) ? sentences[topic as keyof Described] : undefined;
  // Stored values were checked against the schema of their topic; values of an older version may lack members.
  const text = sentence === undefined ? JSON.stringify(value) : attempted(() => sentence(value as never), value);
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters - 1)}…` : text;
}

function attempted(say: () => string, value: unknown): string {
  try {
    return say();
  } catch {
    return JSON.stringify(value);
  }
}

function picked(summary: PickingSummary | null | undefined): string {
  const shares = summary?.containersBreakdown ?? [];
  const amount = shares.reduce((sum, share) => sum + (share.amountToConfirmInBaseUnitOfMeasure ?? 0), 0);
  const containers = shares.flatMap(({ containerCode }) => (containerCode ? [containerCode] : []));
  const from = summary?.locationName ? ` from ${summary.locationName}` : "";
  return `${amount} picked${from}${containers.length === 0 ? "" : ` into ${[...new Set(containers)].join(", ")}`}`;
}

const of = (item: string | null | undefined) => (item ? ` (${item})` : "");
const at = (place: string | null | undefined) => (place ? ` at ${place}` : "");
const left = (amount: number | null | undefined) => (typeof amount === "number" ? `, ${amount} remaining before` : "");
const counted = (count: number, word: string) => `${count} ${word}${count === 1 ? "" : "s"}`;
const nameOf = (status: number) =>
  Object.entries(WorkOrderStatus).find(([, number]) => number === status)?.[0] ?? String(status);
