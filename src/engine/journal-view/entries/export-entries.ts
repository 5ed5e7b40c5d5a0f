import { setImmediate as nextTurn } from "node:timers/promises";
import type { Entry } from "../../../journal/entry.ts";
import type { EntryFilter, JournalReader } from "../../../journal/journal.ts";
import { jsonInTurns } from "../../../kit/json/bytes-in-turns.ts";
import { lanesOfOrder } from "../../../operation/lane.ts";
import { isUnfinished, unfinishedStates } from "./act-on-entry.ts";
import { entryRecord } from "./entry-detail.ts";
import { type EntryQuery, entryMatcher, isBodiless } from "./entry-query.ts";
import { type EntryView, entryViewInTurns, lastErrorOf, notSent, type Privacy } from "./entry-view.ts";
import { failureOf } from "./failure.ts";

interface ScannedPage {
  readonly matches: readonly Entry[];
  readonly scannedCount: number;
  /** Where the next page begins; null at the end of the journal. */
  readonly nextBefore: number | null;
}

/** As many as one turn of the event loop can handle within a few milliseconds. */
const maxPageEntries = 100;
/** Only a few, because the length of the bodies is known only after the first page. */
const firstPageEntries = 4;
/** After this many characters of bodies, other requests get their turn. */
const turnCharacters = 256 * 1024;
const pageCharacters = 4 * 2 ** 20;
/** Tolerance of a search by time: clocks may be set back, while entry numbers always rise. */
const clockSlackMs = 3600 * 1000;

/**
 * Searches the journal from the newest entry to the oldest, a page per turn of the event loop. The database only runs
 * indexed queries and the rest is filtered here, so that a search with rare hits does not delay events of the floor.
 */
export async function* scanEntries(
  read: Pick<JournalReader, "list" | "latestAttempt" | "heldBy">,
  query: EntryQuery,
  before?: number,
  { isBrief = false }: { /** The caller needs no bodies. */ readonly isBrief?: boolean } = {},
): AsyncGenerator<ScannedPage> {
  const isNamed = entryMatcher(query);
  const hasFailed = failureMatcher(read, query);
  const indexed = { ...indexedPart(query), isBrief: isBrief && isBodiless(query) };
  const matching = async (page: readonly Entry[]) => {
    const matches: Entry[] = [];
    let characters = 0;
    for (const entry of page) {
      if ((await isNamed(entry)) && hasFailed(entry)) matches.push(entry);
      characters += entry.body.length;
      if (characters < turnCharacters) continue;
      characters = 0;
      await nextTurn();
    }
    return matches;
  };
  let beforeSeq = startOf(read, query, before);
  let limit = firstPageEntries;
  for (;;) {
    const page = read.list({ ...indexed, ...(beforeSeq === undefined ? {} : { beforeSeq }), limit });
    const last = page.at(-1);
    const isEnd = page.length < limit || (last !== undefined && isTooOld(last, query));
    const nextBefore = isEnd || last === undefined ? null : last.seq;
    yield { matches: await matching(page), scannedCount: page.length, nextBefore };
    if (nextBefore === null) return;
    beforeSeq = nextBefore;
    // A page of item images would hold hundreds of megabytes at once.
    const characters = page.reduce((sum, { body, payload }) => sum + body.length + (payload?.length ?? 0), 0);
    const affordable = Math.floor((pageCharacters * page.length) / Math.max(characters, 1));
    limit = Math.max(1, Math.min(maxPageEntries, affordable, limit * 4));
    await nextTurn();
  }
}

/** Returns a function that says whether an entry failed in the given way. That needs the entry's latest attempt. */
function failureMatcher(
  read: Pick<JournalReader, "latestAttempt" | "heldBy">,
  { failures, cause }: EntryQuery,
): (entry: Entry) => boolean {
  if (failures === undefined && cause === undefined) return () => true;
  return (entry) => {
    if (entry.target === null || !isUnfinished(entry)) return false;
    const found = failureOf(read, entry);
    return (failures?.includes(found.kind) ?? true) && (cause === undefined || found.cause === cause);
  };
}

/** Returns the conditions that an index answers, however long the journal is. */
function indexedPart(query: EntryQuery): Omit<EntryFilter, "limit" | "beforeSeq"> {
  const { order, failures, cause } = query;
  const isUndelivered = failures !== undefined || cause !== undefined;
  const states = query.states ?? (isUndelivered ? unfinishedStates : undefined);
  const stored = states?.filter((state) => state !== notSent);
  // In the database, finished entries that were sent and those that were not have the same state.
  const isWhole = stored === undefined || stored.length !== states?.length || stored.includes("delivered");
  return {
    ...(order === undefined ? {} : { lanes: lanesOfOrder(order) }),
    ...(isWhole ? {} : { states: stored }),
  };
}

const isTooOld = (entry: Entry, { from }: EntryQuery) => from !== undefined && entry.receivedAt < from - clockSlackMs;

/** Finds the first entry that can be old enough by a binary search, because times rise with the numbers. */
function startOf(read: Pick<JournalReader, "list">, { to }: EntryQuery, before?: number): number | undefined {
  if (to === undefined) return before;
  const at = (beforeSeq?: number) =>
    read.list({ ...(beforeSeq === undefined ? {} : { beforeSeq }), limit: 1, isBrief: true })[0];
  let low = 0;
  let high = before ?? (at()?.seq ?? 0) + 1;
  while (high - low > maxPageEntries) {
    const middle = Math.floor((low + high) / 2);
    const entry = at(middle);
    if (entry !== undefined && entry.receivedAt > to + clockSlackMs) high = middle;
    else low = middle;
  }
  return high;
}

export type ExportFormat = "ndjson" | "csv";

export interface ExportSettings extends Privacy {
  readonly format: ExportFormat;
  readonly before?: number;
}

/** Some of the exported entries. */
export interface ExportPage {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Pass this as `before` for the next page; null if this was the last one. */
  readonly nextBefore: number | null;
}

/** A page ends after this many bytes or entries; whichever comes first. */
const pageBytes = 2 ** 20;
const pageEntries = 5_000;
/** As much is written to the network at once. */
const pieceBytes = 64 * 1024;

/** Exports every matching entry, newest first: as NDJSON with body, attempts and audit, or as CSV. */
export async function* exported(
  pages: { readonly exportPage: (query: EntryQuery, settings: ExportSettings) => Promise<ExportPage> },
  query: EntryQuery,
  settings: ExportSettings,
): AsyncGenerator<Uint8Array> {
  if (settings.format === "csv") yield Buffer.from(csvHeader);
  for (let from = settings; ; ) {
    const { bytes, nextBefore } = await pages.exportPage(query, from);
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
    if (nextBefore === null) return;
    from = { ...settings, before: nextBefore };
  }
}

export async function exportPage(
  read: JournalReader,
  query: EntryQuery,
  { format, before, ...privacy }: ExportSettings,
): Promise<ExportPage> {
  const pages: Buffer[] = [];
  let written = 0;
  let scanned = 0;
  for await (const { matches, scannedCount, nextBefore } of scanEntries(read, query, before)) {
    scanned += scannedCount;
    for (const entry of matches) {
      const view = await entryViewInTurns(entry, privacy, lastErrorOf(read, entry));
      const line =
        format === "csv"
          ? Buffer.from(csvLine(view))
          : Buffer.concat([await jsonInTurns(await entryRecord(read, entry, view, privacy)), newLine]);
      pages.push(line);
      written += line.length;
    }
    if (nextBefore === null || written >= pageBytes || scanned >= pageEntries) {
      return { bytes: joined(pages, written), nextBefore };
    }
  }
  return { bytes: new Uint8Array(), nextBefore: null };
}

const newLine = Buffer.from("\n");

/** In memory of their own, which can be handed to another thread. */
function joined(pages: readonly Buffer[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const page of pages) {
    bytes.set(page, at);
    at += page.length;
  }
  return bytes;
}

const columns = {
  seq: (entry) => String(entry.seq),
  id: (entry) => entry.id,
  receivedAt: (entry) => entry.receivedAt,
  direction: (entry) => entry.direction,
  topic: (entry) => entry.topic,
  text: (entry) => entry.text,
  orders: (entry) => entry.orders.join(" "),
  containers: (entry) => entry.containers.join(" "),
  operator: (entry) => entry.operator ?? "",
  state: (entry) => entry.state,
  reason: (entry) => entry.reason ?? "",
  target: (entry) => entry.target ?? "",
  sender: (entry) => entry.sender ?? "",
  attempts: (entry) => String(entry.attempts),
  deliveredAt: (entry) => entry.deliveredAt ?? "",
  result: (entry) => (entry.answer === null ? "" : (entry.answer.result ?? "success")),
} as const satisfies Record<string, (entry: EntryView) => string>;

const csvHeader = `${Object.keys(columns).join(",")}\r\n`;

const csvLine = (entry: EntryView): string =>
  `${Object.values(columns)
    .map((cellOf) => cell(cellOf(entry)))
    .join(",")}\r\n`;

/**
 * Writes a cell that no spreadsheet runs. A cell that begins with = + - @ is a formula, also after blanks; a leading
 * apostrophe makes it text. Without it, the name of an order or container could run code on the reader's machine.
 */
function cell(text: string): string {
  const harmless = /^[\s\p{Cc}]*[=+\-@|%＝＋－＠]/u.test(text) || /^[\t\r\n]/.test(text) ? `'${text}` : text;
  return /[",;\r\n']/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
