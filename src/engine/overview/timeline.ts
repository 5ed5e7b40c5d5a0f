import { operationIds, operationRow } from "../../contract/operations.ts";
import type { UpdatedLine } from "../../contract/schemas/update-work-order.ts";
import type { Entry } from "../../journal/entry.ts";
import type { JournalReader } from "../../journal/journal.ts";
import { lanesOfOrder } from "../../sdk/lane.ts";
import { changeEvents } from "./change-events.ts";
import { entryContent } from "./entry-content.ts";
import { type EntryView, entryView, isoTime, type Privacy } from "./entry-view.ts";
import { laneNeighbours } from "./lane-neighbours.ts";
import { maskPersonal } from "./mask-personal.ts";
import { offeredLines } from "./offered-lines.ts";
import type { OrderBooks, StepLine } from "./order-books.ts";
import type { TimelineEvent } from "./timeline-event.ts";

export interface Timeline {
  readonly order: string;
  readonly events: readonly TimelineEvent[];
  /** Only the newest entries of a very long history are told. */
  readonly isCut: boolean;
}

const maxEntries = 2000;
/** Of so many of the newest it is told what was sent: reading it for all of them would hold up the floor. */
const maxSent = 200;
const maxPlace = 200;
const cut = (text: string) => (text.length > maxPlace ? `${text.slice(0, maxPlace)}…` : text);

export interface TimelineNeeds {
  readonly read: JournalReader;
  readonly books: OrderBooks;
}

/** Everything about one order in one list, oldest first; null where nothing is known of it. */
export function orderTimeline({ read, books }: TimelineNeeds, order: string, privacy: Privacy): Timeline | null {
  const newestFirst = read.list({ lanes: lanesOfOrder(order), limit: maxEntries + 1 });
  const entries = newestFirst.slice(0, maxEntries).reverse();
  const changes = books.changesOf(order);
  const amounts = books.amountsOf(order);
  if (entries.length === 0 && changes.length === 0) return null;
  const { holderOf } = laneNeighbours(read);
  const sentFrom = entries.at(-maxSent)?.seq ?? 0;
  const events = [
    ...entries.flatMap((entry) => [
      told(entry, privacy),
      ...stood(entry, amounts.get(entry.id)),
      ...offered(entry),
      ...tried(read, entry, privacy, entry.seq >= sentFrom),
      ...decided(read, entry),
      ...held(entry, holderOf(entry)),
    ]),
    ...changeEvents(changes, (id) => read.entry(id)?.seq ?? null),
  ];
  // Equal times keep the order they were put in: an answer comes after its call. ISO times of one length sort as texts.
  events.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  return { order, events, isCut: newestFirst.length > maxEntries };
}

const plain = { topic: null, state: null, operator: null, sender: null, answer: null } as const;

function told(entry: Entry, privacy: Privacy): TimelineEvent {
  const view = entryView(entry, privacy);
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

const tells = new Set<string>(operationIds.filter((id) => operationRow(id).kind === "tell"));

function kindOf({ direction, topic }: EntryView): "call" | "push" | "message" {
  if (direction === "in") return "push";
  return tells.has(topic) ? "call" : "message";
}

/** Wanted, shown, picked and offered side by side, for each line of a changed order. */
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

function offered(entry: Entry): TimelineEvent[] {
  const lines = offeredLines(entryContent(entry).value, entry.answer);
  if (lines.length === 0) return [];
  const text = `the answer asked the platform for: ${lines.map(lineText).join(", ")}`;
  return [{ ...plain, at: isoTime(entry.answeredAt ?? entry.receivedAt), kind: "offer", seq: entry.seq, text }];
}

const lineText = (line: UpdatedLine): string => {
  const name = line.externalIdentifier || line.itemNumber || line.requestId;
  return line.isCancelled ? `line ${name} cancelled` : `line ${name} reduced to ${line.requestedAmount}`;
};

function tried(
  read: JournalReader,
  { seq, target }: Entry,
  { showPersonal }: Privacy,
  tellsSent: boolean,
): TimelineEvent[] {
  if (target === null) return [];
  const exchanges = tellsSent ? read.exchanges(seq) : null;
  return read.attempts(seq).map(({ n, startedAt, endedAt, outcome, status, error }) => {
    const shown = showPersonal ? (text: string) => text : maskPersonal;
    const sent = exchanges?.get(n)?.at(-1);
    const answered = status === undefined ? "" : `, answered ${status}`;
    const why = error === undefined ? "" : `: ${shown(error)}`;
    const what = sent === undefined ? "" : ` (${shown(cut(sent.to))})`;
    const text = `attempt ${n} to ${target}: ${outcome}${answered} after ${endedAt - startedAt} ms${what}${why}`;
    return { ...plain, at: isoTime(endedAt), kind: "attempt", seq, text };
  });
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
