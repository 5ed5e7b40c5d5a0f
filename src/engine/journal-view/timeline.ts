import { setImmediate as nextTurn } from "node:timers/promises";
import type { Entry } from "../../journal/entry.ts";
import type { JournalReader } from "../../journal/journal.ts";
import { type PhraseValue, phrase, sayPhrase } from "../../messages/phrases/phrase.ts";
import { lanesOfOrder, orderOfLane } from "../../operation/lane.ts";
import { laneNeighbours } from "./entries/entry-detail.ts";
import { answerInTurns, contentInTurns, type Privacy } from "./entries/entry-view.ts";
import { decided, held, offered, receivedEvent, stood, tried } from "./entry-events.ts";
import type { OrderRecords } from "./order-records.ts";
import { changeEvents, type TimelineEvent } from "./timeline-event.ts";

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
/** The same for the amounts of a line after a step. */
const perLine = 100;

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
  // A follow-up order alone also has a timeline of its own.
  const numbers = [order, ...orderRecords.followUpsOf(order)];
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
    const lines = amounts.get(entry.id)?.();
    const own = [
      receivedEvent(entry, { content, answer }, privacy),
      ...stood(entry, lines),
      ...offered(entry, content, answer),
      ...(await tried(read, entry, privacy, entry.seq >= sentFrom)),
      ...decided(read, entry),
      ...held(entry, holderOf(entry)),
    ];
    for (const event of own) ofEntries.push(named(event, entry, order));
    characters += entry.body.length + (entry.answer?.length ?? 0) + perEntry + (lines?.length ?? 0) * perLine;
    if (characters < turnCharacters) continue;
    characters = 0;
    await nextTurn();
  }
  const events = [...ofEntries, ...changeEvents(changes, seqFinder(read))];
  // The sort is stable, so an answer stays after its call. ISO times of one length sort as text.
  events.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  return { order, events, isCut: newestFirst.length > maxEntries };
}

/** Finds the number of an entry by its id. One push may have changed thousands of lines. */
function seqFinder(read: Pick<JournalReader, "brief">): (id: string) => number | null {
  const known = new Map<string, number | null>();
  return (id) => {
    let seq = known.get(id);
    if (seq === undefined) {
      seq = read.brief(id)?.seq ?? null;
      known.set(id, seq);
    }
    return seq;
  };
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
