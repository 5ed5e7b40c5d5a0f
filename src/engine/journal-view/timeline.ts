import { setImmediate as nextTurn } from "node:timers/promises";
import { operationIds, operationRow } from "../../contract/operations.ts";
import type { UpdatedLine, UpdateWorkOrderRequest } from "../../contract/schemas/confirm-step.ts";
import type { Entry, Exchange } from "../../journal/entry.ts";
import type { JournalReader } from "../../journal/journal.ts";
import { lanesOfOrder, orderOfLane } from "../../operation/lane.ts";
import { laneNeighbours } from "./entries/entry-detail.ts";
import {
  contentInTurns,
  type EntryContent,
  type EntryView,
  entryView,
  isoTime,
  type Privacy,
} from "./entries/entry-view.ts";
import { maskPersonal } from "./entries/mask-personal.ts";
import type { OrderBooks, StepLine } from "./order-books.ts";
import { changeEvents, type TimelineEvent } from "./timeline-event.ts";

export interface Timeline {
  readonly order: string;
  readonly events: readonly TimelineEvent[];
  /** Only the newest entries of a very long history are included. */
  readonly isCut: boolean;
}

const maxEntries = 2000;
/** Exchanges are shown for so many of the newest entries: reading them for all would delay events of the floor. */
const maxSent = 200;
/** After so many characters of bodies, other requests get their turn. */
const turnCharacters = 256 * 1024;
/** What reading one entry with its attempts costs, in characters. */
const perEntry = 4096;
const maxPlace = 200;
const cut = (text: string) => (text.length > maxPlace ? `${text.slice(0, maxPlace)}…` : text);

export interface TimelineNeeds {
  readonly read: JournalReader;
  readonly books: OrderBooks;
}

/**
 * Everything about one order in one list, oldest first; null if nothing is known of it. One entry at a time: each step of a
 * long order has megabytes, and other requests must not wait for all of them.
 */
export async function orderTimeline(
  { read, books }: TimelineNeeds,
  order: string,
  privacy: Privacy,
): Promise<Timeline | null> {
  const numbers = familyOf(books, order);
  const lanes = numbers.flatMap(lanesOfOrder);
  const newestFirst = read.list({ lanes, limit: maxEntries + 1, isBrief: true });
  const changes = books.changesOf(order);
  const amounts = new Map(numbers.flatMap((number) => [...books.amountsOf(number)]));
  if (newestFirst.length === 0 && changes.length === 0) return null;
  const { holderOf } = laneNeighbours(read);
  const entries = newestFirst.slice(0, maxEntries).reverse();
  const sentFrom = entries.at(-maxSent)?.seq ?? 0;
  const ofEntries: TimelineEvent[] = [];
  let characters = 0;
  for (const brief of entries) {
    const entry = read.entry(brief.seq) ?? brief;
    const content = await contentInTurns(entry);
    const own = [
      receivedEvent(entry, content, privacy),
      ...stood(entry, amounts.get(entry.id)),
      ...offered(entry, content),
      ...tried(read, entry, privacy, entry.seq >= sentFrom),
      ...decided(read, entry),
      ...held(entry, holderOf(entry)),
    ];
    for (const event of own) ofEntries.push(named(event, entry, order));
    characters += entry.body.length + perEntry;
    if (characters < turnCharacters) continue;
    characters = 0;
    await nextTurn();
  }
  const events = [...ofEntries, ...changeEvents(changes, (id) => read.entry(id)?.seq ?? null)];
  // The sort is stable, so an answer stays after its call. ISO times of one length sort as text.
  events.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  return { order, events, isCut: newestFirst.length > maxEntries };
}

/** The order and its follow-up orders; a follow-up order has a timeline of its own. */
function familyOf(books: OrderBooks, order: string): readonly string[] {
  const known = books.explain(order);
  return known?.order === order ? known.orders.map(({ number }) => number) : [order];
}

/** What happened in a follow-up order says so. */
function named(event: TimelineEvent, { lanes }: Entry, order: string): TimelineEvent {
  const numbers = lanes.flatMap(({ lane }) => orderOfLane(lane) ?? []);
  const [other] = numbers;
  return other === undefined || numbers.includes(order) ? event : { ...event, text: `${other}: ${event.text}` };
}

const plain = { topic: null, state: null, operator: null, sender: null, answer: null } as const;

function receivedEvent(entry: Entry, content: EntryContent, privacy: Privacy): TimelineEvent {
  const view = entryView(entry, privacy, { content });
  const { seq, topic, text, state, operator, sender, answer } = view;
  return {
    at: view.receivedAt,
    kind: kindOf(view),
    seq,
    topic,
    text: entry.suspectOf === null ? text : `${text} (perhaps a repeat of ${entry.suspectOf})`,
    state,
    operator,
    sender,
    answer: answer === null ? null : { isSuccess: answer.isSuccess, result: answer.result, message: answer.message },
  };
}

const events = new Set<string>(operationIds.filter((id) => operationRow(id).kind === "event"));

function kindOf({ direction, topic }: EntryView): "call" | "push" | "message" {
  if (direction === "in") return "push";
  return events.has(topic) ? "call" : "message";
}

/** Wanted, shown, picked and offered amounts for each line of a changed order. */
function stood(entry: Entry, lines: readonly StepLine[] | undefined): TimelineEvent[] {
  if (lines === undefined || lines.length === 0) return [];
  const text = lines
    .map(
      ({ line, wanted, shown, picked, offered: asked }) =>
        `${line}: wanted ${wanted ?? "–"}, shown ${shown ?? "–"}, picked ${picked}, offered ${asked ?? "–"}`,
    )
    .join("; ");
  return [{ ...plain, at: isoTime(entry.receivedAt), kind: "amounts", seq: entry.seq, text }];
}

function offered(entry: Entry, content: EntryContent): TimelineEvent[] {
  const lines = offeredLines(content.value, entry.answer);
  if (lines.length === 0) return [];
  const text = `the answer asked the platform for: ${lines.map(lineText).join(", ")}`;
  return [{ ...plain, at: isoTime(entry.answeredAt ?? entry.receivedAt), kind: "offer", seq: entry.seq, text }];
}

const lineText = (line: UpdatedLine): string => {
  const name = line.externalIdentifier || line.itemNumber || line.requestId;
  const lot = line.externalIdentifier || !line.lotNumber ? "" : ` lot ${line.lotNumber}`;
  return line.isCancelled ? `line ${name}${lot} cancelled` : `line ${name}${lot} reduced to ${line.requestedAmount}`;
};

function tried(
  read: JournalReader,
  { seq, target }: Entry,
  { showPersonal }: Privacy,
  eventsSent: boolean,
): TimelineEvent[] {
  if (target === null) return [];
  const exchanges = eventsSent ? read.exchanges(seq) : null;
  return read.attempts(seq).map(({ n, startedAt, endedAt, outcome, status, error }) => {
    const shown = showPersonal ? (text: string) => text : maskPersonal;
    const sent = exchanges?.get(n)?.at(-1);
    const answered = status === undefined ? "" : `, answered ${status}`;
    const why = error === undefined ? "" : `: ${shown(error)}`;
    const what = sent === undefined ? "" : ` (${shown(cut(sent.to || `nothing sent: ${sent.skipped ?? ""}`))})`;
    const steps = stepsText(exchanges?.get(n) ?? []);
    const text = `attempt ${n} to ${target}: ${outcome}${answered} after ${endedAt - startedAt} ms${what}${why}${steps}`;
    return { ...plain, at: isoTime(endedAt), kind: "attempt", seq, text };
  });
}

/** What each step of an attempt did, if there were several. */
function stepsText(exchanges: readonly Exchange[]): string {
  const steps = exchanges.filter(({ step }) => step !== undefined);
  if (steps.length < 2) return "";
  const shown = steps.map(({ step, skipped, answer }) => {
    if (skipped !== undefined) return `${step} skipped (${skipped})`;
    return answer === undefined ? `${step} not answered` : `${step} ${answer.status ?? "answered"}`;
  });
  return `; steps: ${shown.join(", ")}`;
}

function decided(read: JournalReader, { seq, target }: Entry): TimelineEvent[] {
  if (target === null) return [];
  return read.audit(seq).map(({ at, operator, action, reason }) => ({
    ...plain,
    at: isoTime(at),
    kind: "action",
    seq,
    text: `${action} by ${operator}${reason === null ? "" : `: ${reason}`}`,
    operator,
  }));
}

function held(entry: Entry, holder: Entry | null): TimelineEvent[] {
  if (holder === null) return [];
  const why = holder.state === "dead" ? `dead: ${holder.reason ?? "no reason"}` : holder.state;
  const text = `waits behind ${holder.seq} (${holder.topic}, ${why})`;
  return [{ ...plain, at: isoTime(entry.receivedAt), kind: "held", seq: entry.seq, text }];
}

type Model = Pick<UpdateWorkOrderRequest, "itemRequests"> | null | undefined;

const unchanged = /"updateWorkOrderRequest":null/;

/** The lines that the answer to a step changed, compared with the order the step carried. */
function offeredLines(input: unknown, answer: string | null): readonly UpdatedLine[] {
  // Most answers change nothing, and some have megabytes.
  if (answer === null || !answer.includes("updateWorkOrderRequest") || unchanged.test(answer)) return [];
  // An answer that this adapter wrote: an object.
  const given = modelIn((JSON.parse(answer) as { data?: unknown }).data)?.itemRequests ?? [];
  const brought = modelIn(input)?.itemRequests ?? [];
  // The answer repeats the whole order with only the affected lines changed, so positions correspond.
  return given.filter((line, index) => {
    const before = brought[index];
    return line.isCancelled !== before?.isCancelled || line.requestedAmount !== before?.requestedAmount;
  });
}

function modelIn(value: unknown): Model {
  if (typeof value !== "object" || value === null) return null;
  // Checked against the contract when it was received, or made by the adapter.
  return (value as { updateWorkOrderRequest?: Model }).updateWorkOrderRequest;
}

const signs: Readonly<Record<TimelineEvent["kind"], string>> = {
  call: "platform →",
  push: "ERP →",
  message: "→ ERP",
  offer: "→ platform",
  amounts: "amounts",
  attempt: "delivery",
  action: "person",
  change: "change",
  held: "held",
};

/** The timeline as text: a line per event, and a heading for each day. */
export function timelineText({ order, events, isCut }: Timeline, timeZone: string): string {
  const date = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short" });
  const clock = new Intl.DateTimeFormat("sv-SE", { timeZone, timeStyle: "medium" });
  const lines = [`Order ${clean(order)}, times in ${timeZone}`];
  if (isCut) lines.push("Only the newest part of a very long history is shown.");
  const width = Math.max(...Object.values(signs).map((sign) => sign.length));
  let day = "";
  for (const event of events) {
    const at = new Date(event.at);
    if (date.format(at) !== day) {
      day = date.format(at);
      lines.push("", day);
    }
    const number = event.seq === null ? "" : `#${event.seq}`;
    lines.push(
      `  ${clock.format(at)}  ${number.padStart(7)}  ${signs[event.kind].padEnd(width)}  ${clean(said(event))}`,
    );
  }
  return lines.join("\n");
}

function said({ topic, text, state, operator, sender, answer, kind }: TimelineEvent): string {
  const by = kind === "call" ? operator : kind === "push" ? sender : null;
  const who = by === null ? "" : `, by ${by}`;
  const what = topic === null ? text : `${topic}: ${text}${who}`;
  const ended = state === null ? "" : ` [${state}]`;
  return `${what}${ended}${answer === null || kind !== "call" ? "" : ` ⇒ ${answered(answer)}`}`;
}

function answered({ isSuccess, result, message }: NonNullable<TimelineEvent["answer"]>): string {
  const words = message === null ? "" : ` "${message}"`;
  return isSuccess ? `success${words}` : `${result}${words}`;
}

/** Foreign text must not control the reader's terminal, nor look like lines of the adapter. */
const clean = (text: string) => text.replace(/[\s\p{Zl}\p{Zp}]+/gu, " ").replace(/\p{Cc}|\p{Bidi_Control}/gu, "�");
