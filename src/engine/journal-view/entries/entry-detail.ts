import { setImmediate as nextTurn } from "node:timers/promises";
import { type Entry, type Exchange, type KeptText, openStates } from "../../../journal/entry.ts";
import type { JournalReader } from "../../../journal/journal.ts";
import { readTraceText } from "../../../kit/tracing/trace-context.ts";
import { maskBodyInTurns } from "../../../operation/secrets/mask-in-turns.ts";
import { type ActionName, isUnfinished, possibleActions } from "./act-on-entry.ts";
import { type EntryView, entryViewInTurns, isoTime, lastErrorOf, type Privacy } from "./entry-view.ts";
import { maskingFor, maskPersonalInTurns } from "./mask-personal.ts";

interface AttemptView {
  readonly n: number;
  readonly startedAt: string;
  readonly ms: number;
  readonly outcome: string;
  readonly status: number | null;
  readonly error: string | null;
  readonly response: string | null;
}

/** An attempt with the requests it sent and their answers. */
interface WholeAttemptView extends AttemptView {
  readonly exchanges: readonly ExchangeView[];
}

interface AuditView {
  readonly at: string;
  readonly operator: string;
  readonly action: string;
  readonly reason: string | null;
  readonly bodyBefore: string | null;
}

/** A short form of an entry, to be listed with another one. */
export type EntryMention = Pick<EntryView, "seq" | "id" | "topic" | "state" | "reason" | "text" | "phrase">;

/** An entry with everything stored about it. */
export interface EntryRecord extends EntryView {
  readonly lanes: readonly { readonly lane: string; readonly position: number }[];
  readonly body: string;
  readonly acceptLanguage: string | null;
  /** The trace that the entry belongs to; null if nothing was traced. */
  readonly traceId: string | null;
  readonly attemptLog: readonly AttemptView[];
  readonly audit: readonly AuditView[];
}

/** An entry with everything stored about it, and its current neighbours in the lanes. */
export interface EntryDetail extends EntryRecord {
  readonly attemptLog: readonly WholeAttemptView[];
  /** The first entries that must be finished before this one. */
  readonly heldBehind: readonly EntryMention[];
  /** The first entries that wait for this one. */
  readonly waitingBehind: readonly EntryMention[];
  readonly waitingCount: number;
  /** Whether there are more waiting entries than were read and counted. */
  readonly isCountCut: boolean;
  readonly possibleActions: readonly ActionName[];
}

const maxMentions = 20;

const shownBy = async ({ showPersonal }: Privacy, { body }: Entry): Promise<(text: string) => string> =>
  showPersonal ? (text) => text : await maskingFor(body);

/**
 * Returns everything stored about an entry. Its bodies, also those before each edit, may have megabytes; other requests
 * run while they are masked.
 */
export async function entryRecord(
  read: JournalReader,
  entry: Entry,
  view: EntryView,
  privacy: Privacy,
): Promise<EntryRecord> {
  const shown = await shownBy(privacy, entry);
  const inTurns = async (text: string) =>
    privacy.showPersonal ? text : await maskPersonalInTurns(await maskBodyInTurns(text));
  const audit: AuditView[] = [];
  for (const { at, operator, action, reason, before } of read.audit(entry.seq)) {
    const bodyBefore = before == null ? null : await inTurns(before);
    audit.push({ at: isoTime(at), operator, action, reason, bodyBefore });
    if (bodyBefore !== null) await nextTurn();
  }
  const shownOrNull = (text: string | null | undefined) => (text == null ? null : shown(text));
  return {
    ...view,
    lanes: entry.lanes,
    body: await inTurns(entry.body),
    acceptLanguage: entry.acceptLanguage,
    traceId: readTraceText(entry.trace)?.traceId ?? null,
    attemptLog: read.attempts(entry.seq).map(({ n, startedAt, endedAt, outcome, status, ...answer }) => ({
      n,
      startedAt: isoTime(startedAt),
      ms: endedAt - startedAt,
      outcome,
      status: status ?? null,
      error: shownOrNull(answer.error),
      response: shownOrNull(answer.response),
    })),
    audit,
  };
}

export async function entryDetail(read: JournalReader, entry: Entry, privacy: Privacy): Promise<EntryDetail> {
  const { heldBehind, waitingBehind, isCut } = laneNeighbours(read).of(entry);
  const mentions = async (others: readonly Entry[]): Promise<readonly EntryMention[]> => {
    const mentioned: EntryMention[] = [];
    for (const other of others.slice(0, maxMentions)) {
      const whole = read.entry(other.seq) ?? other;
      const { seq, id, topic, state, reason, text, phrase } = await entryViewInTurns(whole, privacy);
      mentioned.push({ seq, id, topic, state, reason, text, phrase });
      await nextTurn();
    }
    return mentioned;
  };
  const view = await entryViewInTurns(entry, privacy, lastErrorOf(read, entry));
  const record = await entryRecord(read, entry, view, privacy);
  const exchanges = read.exchanges(entry.seq);
  const shown = await shownBy(privacy, entry);
  return {
    ...record,
    attemptLog: record.attemptLog.map((attempt) => ({
      ...attempt,
      exchanges: (exchanges.get(attempt.n) ?? []).map((one) => exchangeView(one, shown)),
    })),
    heldBehind: await mentions(heldBehind),
    waitingBehind: await mentions(waitingBehind),
    waitingCount: waitingBehind.length,
    isCountCut: isCut,
    possibleActions: possibleActions(entry),
  };
}

interface Neighbours {
  /** Entries that must be delivered or decided before this one; oldest first, most without their bodies. */
  readonly heldBehind: readonly Entry[];
  readonly waitingBehind: readonly Entry[];
  /** Whether there are more entries than were read. */
  readonly isCut: boolean;
}

interface Lane {
  /** Newest first. */
  readonly unfinished: readonly Entry[];
  /** The dead entry that blocks the lane, however many entries came after it. */
  readonly dead: Entry | null;
  readonly isCut: boolean;
}

const maxPerLane = 1000;

/**
 * Finds the entries before and after an unfinished entry in its lanes. A finished entry blocks nothing. Each lane is
 * read once for all given entries, because a parked order may have a thousand of them.
 */
export function laneNeighbours(read: Pick<JournalReader, "list" | "heldBy" | "entry">) {
  const lanes = new Map<string, Lane>();
  const laneOf = (name: string): Lane => {
    let lane = lanes.get(name);
    if (lane === undefined) {
      const deadSeq = read.heldBy(name);
      const found = read.list({ lane: name, states: [...openStates, "dead"], limit: maxPerLane, isBrief: true });
      // A refused state is dead but does not block its lane.
      const unfinished = found.filter(({ state, isState }) => !(isState && state === "dead"));
      lane = {
        unfinished,
        dead: deadSeq === null ? null : read.entry(deadSeq),
        isCut: found.length === maxPerLane,
      };
      lanes.set(name, lane);
    }
    return lane;
  };
  const lanesOf = (entry: Entry) => (isUnfinished(entry) ? entry.lanes.map(({ lane }) => laneOf(lane)) : []);

  return {
    of: (entry: Entry): Neighbours => {
      const others = new Map<number, Entry>();
      let isCut = false;
      for (const { unfinished, dead, isCut: isLaneCut } of lanesOf(entry)) {
        isCut ||= isLaneCut;
        for (const other of dead === null ? unfinished : [dead, ...unfinished]) others.set(other.seq, other);
      }
      const inOrder = [...others.values()].sort((a, b) => a.seq - b.seq);
      return {
        heldBehind: inOrder.filter(({ seq }) => seq < entry.seq),
        waitingBehind: inOrder.filter(({ seq }) => seq > entry.seq),
        isCut,
      };
    },
    /** The most important entry before this one: a dead one, which needs an operator, otherwise the first in line. */
    holderOf: (entry: Entry): Entry | null => {
      const own = lanesOf(entry);
      const before = (other: Entry | null | undefined): Entry[] => (other && other.seq < entry.seq ? [other] : []);
      const [dead] = own.flatMap((lane) => before(lane.dead));
      const [first] = own.flatMap((lane) => before(lane.unfinished.at(-1))).sort((a, b) => a.seq - b.seq);
      return dead ?? first ?? null;
    },
  };
}

interface TextView {
  readonly text: string;
  /** Length of the whole text; the text here may be cut. */
  readonly bytes: number;
}

/** One request of an attempt and its answer; secrets are masked, and long texts are cut. */
export interface ExchangeView {
  readonly sentAt: string;
  /** The step that the request belongs to; null if the event is one request. */
  readonly step: string | null;
  /** Why nothing was sent for the step; null if it was sent. */
  readonly skipped: string | null;
  readonly to: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: TextView | null;
  /** Null if no answer came. */
  readonly answer: {
    readonly ms: number;
    readonly status: number | null;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: TextView | null;
  } | null;
}

function exchangeView(
  { sentAt, step, skipped, to, headers, body, answer }: Exchange,
  shown: (text: string) => string,
): ExchangeView {
  const textView = (kept: KeptText | undefined): TextView | null =>
    kept === undefined ? null : { text: shown(kept.text), bytes: kept.bytes };
  const mapHeaders = (all: Exchange["headers"]) =>
    Object.fromEntries(Object.entries(all ?? {}).map(([name, value]) => [name, shown(value)]));
  return {
    sentAt: isoTime(sentAt),
    step: step ?? null,
    skipped: skipped ?? null,
    to: shown(to),
    headers: mapHeaders(headers),
    body: textView(body),
    answer:
      answer === undefined
        ? null
        : {
            ms: answer.ms,
            status: answer.status ?? null,
            headers: mapHeaders(answer.headers),
            body: textView(answer.body),
          },
  };
}
