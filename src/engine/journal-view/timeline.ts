import { setImmediate as nextTurn } from "node:timers/promises";
import { operationIds, operationRow } from "../../contract/operations.ts";
import type { UpdatedLine, UpdateWorkOrderRequest } from "../../contract/schemas/confirm-step.ts";
import type { Entry, Exchange } from "../../journal/entry.ts";
import type { JournalReader } from "../../journal/journal.ts";
import { type Phrase, type PhraseValue, phrase, phraseOr, sayPhrase } from "../../messages/phrases/phrase.ts";
import { recognise } from "../../messages/phrases/recognise.ts";
import { lanesOfOrder, orderOfLane } from "../../operation/lane.ts";
import { laneNeighbours } from "./entries/entry-detail.ts";
import {
  type AnswerView,
  answerInTurns,
  contentInTurns,
  type EntryContent,
  type EntryView,
  entryView,
  isoTime,
  type Privacy,
} from "./entries/entry-view.ts";
import { maskingFor } from "./entries/mask-personal.ts";
import type { OrderRecords, StepLine } from "./order-records.ts";
import { changeEvents, plainEvent, type TimelineEvent, textOf } from "./timeline-event.ts";

export interface Timeline {
  readonly order: string;
  readonly events: readonly TimelineEvent[];
  /** Whether only the newest entries of a very long history are included. */
  readonly isCut: boolean;
}

const maxEntries = 2000;
/** Exchanges are shown for this many of the newest entries: reading them for all would delay events of the floor. */
const maxSent = 200;
/** After this many characters of bodies, other requests get their turn. */
const turnCharacters = 256 * 1024;
/** The cost of reading one entry with its attempts, in characters. */
const perEntry = 4096;
const maxPlace = 200;
const cut = (text: string) => (text.length > maxPlace ? `${text.slice(0, maxPlace)}…` : text);

export interface TimelineNeeds {
  readonly read: JournalReader;
  readonly orderRecords: OrderRecords;
}

/**
 * Returns everything about one order in one list, oldest first; null if nothing is known of it. It reads one entry at a
 * time: each step of a long order has megabytes, and other requests must not wait for all of them.
 */
export async function orderTimeline(
  { read, orderRecords }: TimelineNeeds,
  order: string,
  privacy: Privacy,
): Promise<Timeline | null> {
  const numbers = orderGroupOf(orderRecords, order);
  const lanes = numbers.flatMap(lanesOfOrder);
  const newestFirst = read.list({ lanes, limit: maxEntries + 1, isBrief: true });
  const changes = orderRecords.changesOf(order);
  const amounts = new Map(numbers.flatMap((number) => [...orderRecords.amountsOf(number)]));
  if (newestFirst.length === 0 && changes.length === 0) return null;
  const { holderOf } = laneNeighbours(read);
  const entries = newestFirst.slice(0, maxEntries).reverse();
  const sentFrom = entries.at(-maxSent)?.seq ?? 0;
  const ofEntries: TimelineEvent[] = [];
  let characters = 0;
  for (const brief of entries) {
    const entry = read.entry(brief.seq) ?? brief;
    const content = await contentInTurns(entry);
    const answer = await answerInTurns(entry, privacy);
    const own = [
      receivedEvent(entry, { content, answer }, privacy),
      ...stood(entry, amounts.get(entry.id)),
      ...offered(entry, content, answer),
      ...tried(read, entry, privacy, entry.seq >= sentFrom),
      ...decided(read, entry),
      ...held(entry, holderOf(entry)),
    ];
    for (const event of own) ofEntries.push(named(event, entry, order));
    characters += entry.body.length + (entry.answer?.length ?? 0) + perEntry;
    if (characters < turnCharacters) continue;
    characters = 0;
    await nextTurn();
  }
  const events = [...ofEntries, ...changeEvents(changes, (id) => read.entry(id)?.seq ?? null)];
  // The sort is stable, so an answer stays after its call. ISO times of one length sort as text.
  events.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  return { order, events, isCut: newestFirst.length > maxEntries };
}

/** The order and its follow-up orders. A follow-up order alone also has a timeline of its own. */
function orderGroupOf(orderRecords: OrderRecords, order: string): readonly string[] {
  const known = orderRecords.explain(order);
  return known?.order === order ? known.orders.map(({ number }) => number) : [order];
}

/** Adds the number of the follow-up order to an event that happened in one. */
function named(event: TimelineEvent, { lanes }: Entry, order: string): TimelineEvent {
  const numbers = lanes.flatMap(({ lane }) => orderOfLane(lane) ?? []);
  const [other] = numbers;
  if (other === undefined || numbers.includes(order)) return event;
  const ofOrder = (what: PhraseValue) => phrase("timeline.ofOrder", { order: other, what });
  return {
    ...event,
    text: sayPhrase(ofOrder(event.text)),
    phrase: event.phrase === null ? null : ofOrder(event.phrase),
  };
}

interface Parsed {
  readonly content: EntryContent;
  readonly answer: AnswerView | null;
}

function receivedEvent(entry: Entry, parsed: Parsed, privacy: Privacy): TimelineEvent {
  const view = entryView(entry, privacy, parsed);
  const { seq, topic, state, operator, sender, answer } = view;
  return {
    at: view.receivedAt,
    kind: kindOf(view),
    seq,
    topic,
    ...repeated(view, entry.suspectOf),
    state,
    operator,
    sender,
    answer: answer === null ? null : { isSuccess: answer.isSuccess, result: answer.result, message: answer.message },
  };
}

function repeated({ text, phrase: own }: EntryView, number: number | null) {
  const suspected = (what: PhraseValue) => phrase("timeline.repeat", { what, number: String(number) });
  if (number === null) return { text, phrase: own };
  return { text: sayPhrase(suspected(text)), phrase: own === null ? null : suspected(own) };
}

const events = new Set<string>(operationIds.filter((id) => operationRow(id).kind === "event"));

function kindOf({ direction, topic }: EntryView): "call" | "push" | "message" {
  if (direction === "in") return "push";
  return events.has(topic) ? "call" : "message";
}

/** The event with the wanted, shown, picked and offered amounts of each line of a changed order. */
function stood(entry: Entry, lines: readonly StepLine[] | undefined): TimelineEvent[] {
  if (lines === undefined || lines.length === 0) return [];
  const amounts = lines.map(({ line, wanted, shown, picked, offered: asked }) =>
    phrase("timeline.amounts", {
      ...{ line, wanted: wanted ?? "–", shown: shown ?? "–", picked, offered: asked ?? "–" },
    }),
  );
  const what = phrase("list", { parts: { list: amounts, joinedBy: "; " } });
  return [{ ...plainEvent, at: isoTime(entry.receivedAt), kind: "amounts", seq: entry.seq, ...textOf(what) }];
}

function offered(entry: Entry, content: EntryContent, answer: AnswerView | null): TimelineEvent[] {
  const lines = offeredLines(content.value, answer?.data);
  if (lines.length === 0) return [];
  const asked = phrase("timeline.offer", { lines: { list: lines.map(linePhrase), joinedBy: ", " } });
  const at = isoTime(entry.answeredAt ?? entry.receivedAt);
  return [{ ...plainEvent, at, kind: "offer", seq: entry.seq, ...textOf(asked) }];
}

function linePhrase(line: UpdatedLine): Phrase {
  const name = `${line.externalIdentifier || line.itemNumber || line.requestId}`;
  const lot = line.externalIdentifier || !line.lotNumber ? "" : phrase("timeline.lot", { lot: line.lotNumber });
  return line.isCancelled
    ? phrase("timeline.cancelled", { line: name, lot })
    : phrase("timeline.reduced", { line: name, lot, amount: `${line.requestedAmount}` });
}

function tried(
  read: JournalReader,
  { seq, target, body }: Entry,
  { showPersonal }: Privacy,
  eventsSent: boolean,
): TimelineEvent[] {
  if (target === null) return [];
  const exchanges = eventsSent ? read.exchanges(seq) : null;
  const shown = showPersonal ? (text: string) => text : maskingFor(body);
  return read.attempts(seq).map(({ n, startedAt, endedAt, outcome, status, error }) => {
    const sent = exchanges?.get(n)?.at(-1);
    const what = sent === undefined ? "" : phrase("brackets", { text: sent.to ? shown(cut(sent.to)) : unsent(sent) });
    const why = error === undefined ? "" : phrase("timeline.why", { text: recognise(shown(error)) ?? shown(error) });
    const attempt = phrase("timeline.attempt", {
      ...{ number: n, target, outcome: phraseOr(`state.${outcome}`, outcome), what, why },
      answered: status === undefined ? "" : phrase("timeline.answered", { status: String(status) }),
      ms: endedAt - startedAt,
      steps: stepsPhrase(exchanges?.get(n) ?? []),
    });
    return { ...plainEvent, at: isoTime(endedAt), kind: "attempt", seq, ...textOf(attempt) };
  });
}

const unsent = ({ skipped = "" }: Exchange): Phrase => phrase("timeline.nothingSent", { why: skipped });

/** What each step of an attempt did, if there were several. */
function stepsPhrase(exchanges: readonly Exchange[]): PhraseValue {
  const steps = exchanges.flatMap(({ step, ...rest }) => (step === undefined ? [] : [{ step, ...rest }]));
  if (steps.length < 2) return "";
  const shown = steps.map(({ step, skipped, answer }) => {
    if (skipped !== undefined) return phrase("timeline.skipped", { step, why: skipped });
    if (answer === undefined) return phrase("timeline.notAnswered", { step });
    const { status } = answer;
    return status === undefined
      ? phrase("timeline.stepAnswered", { step })
      : phrase("plain", { text: `${step} ${status}` });
  });
  return phrase("timeline.steps", { steps: { list: shown, joinedBy: ", " } });
}

function decided(read: JournalReader, { seq, target }: Entry): TimelineEvent[] {
  if (target === null) return [];
  return read.audit(seq).map(({ at, operator, action, reason }) => ({
    ...plainEvent,
    at: isoTime(at),
    kind: "action",
    seq,
    ...textOf(
      phrase("timeline.action", {
        ...{ action: phraseOr(`action.${action}`, action), operator },
        reason: reason === null ? "" : phrase("timeline.why", { text: reason }),
      }),
    ),
    operator,
  }));
}

function held(entry: Entry, holder: Entry | null): TimelineEvent[] {
  if (holder === null) return [];
  const { reason, state, topic } = holder;
  const why =
    state === "dead"
      ? phrase("timeline.dead", {
          reason: reason === null ? phrase("timeline.noReason") : phraseOr(`reason.${reason}`, reason),
        })
      : phraseOr(`state.${state}`, state);
  const waits = phrase("timeline.held", { number: String(holder.seq), topic, why });
  return [{ ...plainEvent, at: isoTime(entry.receivedAt), kind: "held", seq: entry.seq, ...textOf(waits) }];
}

type Model = Pick<UpdateWorkOrderRequest, "itemRequests"> | null | undefined;

/** The lines that the answer to a step changed, compared with the order the step carried. */
function offeredLines(input: unknown, answer: unknown): readonly UpdatedLine[] {
  const given = modelIn(answer)?.itemRequests ?? [];
  const brought = modelIn(input)?.itemRequests ?? [];
  // The answer repeats the whole order with only the affected lines changed, so positions correspond.
  return given.filter((line, index) => {
    const before = brought[index];
    return line.isCancelled !== before?.isCancelled || line.requestedAmount !== before?.requestedAmount;
  });
}

function modelIn(value: unknown): Model {
  if (typeof value !== "object" || value === null) return null;
  // The value was checked against the contract when it was received, or the adapter created it.
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
      `  ${clock.format(at)}  ${number.padStart(7)}  ${signs[event.kind].padEnd(width)}  ${clean(describe(event))}`,
    );
  }
  return lines.join("\n");
}

function describe({ topic, text, state, operator, sender, answer, kind }: TimelineEvent): string {
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
