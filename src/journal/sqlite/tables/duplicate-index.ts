import { type JsonText, jsonText, sameJson } from "../../../kit/json/same-json.ts";
import { recentValues } from "../../../kit/recent-values.ts";
import type { Database } from "../../../kit/sqlite/sqlite.ts";
import type { NewEntry, RepeatRule } from "../../entry.ts";
import { lanesIn, wholeEntries } from "./entry-columns.ts";
import { comparedRow, extremeSeqRow, seqRow, type WholeEntryRow, wholeEntryRow } from "./journal-rows.ts";

/**
 * How many recent events are cached: the last event of a lane is usually only a moment old when the next one is
 * compared with it.
 */
const remembered = 2_000;
/**
 * The key of entries that a projection emitted. A receipt for an entry does not count as something that happened to the
 * order since.
 */
export const emittedKey = "emitted";
/** Longer contents are not cached but read again, because many of them would fill the memory. */
const mostCharacters = 2_000;

export interface DuplicateEntry {
  readonly duplicate: WholeEntryRow;
  /** The rule by which the new entry would repeat this one. */
  readonly rule: RepeatRule;
}

export interface DuplicateIndex {
  /** The entry that this one may repeat: the latest of its kind, if its content is equal. */
  readonly find: (entry: NewEntry, content: JsonText) => DuplicateEntry | undefined;
  /** Called when the entry is the latest under the key; null if it will not be looked up. */
  readonly file: (seq: number, lane: string, key: string, entry: NewEntry | null) => void;
  /** Call after a rollback, and before entries are deleted or edited: the latest entry or its content may change. */
  readonly forget: () => void;
}

/** The compared part of an entry. The entry itself is not cached: it may hold large members. */
interface ComparedEntry {
  readonly topic: string;
  readonly target: string | null;
  readonly receivedAt: number;
  readonly body: string;
  readonly payload: string | null;
}

interface Latest {
  readonly seq: number;
  /** The content of the entry; null if it must be read. */
  readonly compared: ComparedEntry | null;
}

/** Recognises events that the platform sends again. */
export function duplicateIndex(database: Database): DuplicateIndex {
  const latestSeq = database.query(
    "SELECT seq FROM entry_lane WHERE lane = ? AND key = ? ORDER BY seq DESC LIMIT 1",
    seqRow,
  );
  const lastInLane = database.query(
    `SELECT max(seq) AS seq FROM entry_lane WHERE lane = ? AND key <> '${emittedKey}'`,
    extremeSeqRow,
  );
  const comparedBySeq = database.query(
    `SELECT e.topic, e.target, e.received_at, coalesce(b.body, '') AS body, b.payload
     FROM entry e LEFT JOIN entry_body b ON b.seq = e.seq WHERE e.seq = ?`,
    comparedRow,
  );
  const rowBySeq = database.query(`${wholeEntries()} WHERE e.seq = ?`, wholeEntryRow);
  const recent = recentValues<Latest>(remembered);

  const latestIn = (lane: string, key: string): Latest | undefined => {
    const known = recent.get(nameOf(lane, key));
    if (known !== undefined) return known;
    const seq = latestSeq.get(lane, key)?.seq;
    return seq === undefined ? undefined : { seq, compared: null };
  };

  const latestOf = (lanes: readonly string[], { key, undisturbedIn = [] }: RepeatRule): Latest | undefined => {
    let latest: Latest | undefined;
    for (const lane of lanes) {
      const found = latestIn(lane, key);
      // If the latest entry differs between the lanes, something else happened in one of them.
      if (found === undefined || (latest !== undefined && found.seq !== latest.seq)) return undefined;
      latest = found;
    }
    if (latest === undefined) return undefined;
    for (const lane of undisturbedIn) {
      if ((lastInLane.get(lane)?.seq ?? 0) > latest.seq) return undefined;
    }
    return latest;
  };

  const comparedEntry = ({ seq, compared }: Latest): ComparedEntry | undefined => {
    if (compared !== null) return compared;
    const row = comparedBySeq.get(seq);
    if (row === undefined) return undefined;
    const { topic, target, received_at: receivedAt, body, payload } = row;
    return { topic, target, receivedAt, body, payload };
  };

  /** Returns the entry if its content equals the new one; only then is it read completely. */
  const sameAs = (
    latest: Latest,
    entry: NewEntry,
    content: JsonText,
    { windowMs }: RepeatRule,
  ): WholeEntryRow | undefined => {
    const duplicate = comparedEntry(latest);
    if (duplicate === undefined || entry.receivedAt - duplicate.receivedAt > windowMs) return undefined;
    return isSame(duplicate, entry, content) ? rowBySeq.get(latest.seq) : undefined;
  };

  return {
    find: (entry, content) => {
      const { repeat, lanes } = entry;
      if (repeat === undefined) return undefined;
      let rule = repeat;
      let latest = latestOf(lanes, rule);
      if (latest === undefined) {
        if (repeat.unnamed === undefined) return undefined;
        rule = repeat.unnamed;
        latest = latestOf(lanes, rule);
      }
      const duplicate = latest === undefined ? undefined : sameAs(latest, entry, content, rule);
      return duplicate === undefined || (rule !== repeat && isNamed(duplicate)) ? undefined : { duplicate, rule };
    },
    file: (seq, lane, key, entry) => {
      const name = nameOf(lane, key);
      // The old value is removed even if the new one is not cached: otherwise an older entry would count as the latest.
      if (entry === null || entry.body.length + (entry.payload?.length ?? 0) > mostCharacters)
        return recent.delete(name);
      const { topic, target = null, receivedAt, body, payload } = entry;
      recent.set(name, { seq, compared: { topic, target, receivedAt, body, payload } });
    },
    forget: recent.clear,
  };
}

/** The length separates the lane from the key, so that no order number can be mistaken for part of a key. */
const nameOf = (lane: string, key: string) => `${lane.length}|${lane}${key}`;

function isSame(duplicate: ComparedEntry, entry: NewEntry, content: JsonText): boolean {
  if (duplicate.topic !== entry.topic) return false;
  // Pushes are compared in their applied form, because in another time zone the same text is another date. A push that
  // is only kept and one that is queued also differ.
  if (entry.direction === "in") {
    const isThere = duplicate.body !== "" && duplicate.target === (entry.target ?? null);
    return isThere && sameJson(content, jsonText(duplicate.payload ?? duplicate.body));
  }
  if (duplicate.body === entry.body) return true;
  return sameJson(entry.payload === null ? content : jsonText(entry.body), jsonText(duplicate.body));
}

/** Whether the sender gave the entry an idempotency key; then it is also stored under a second key. */
const isNamed = ({ lanes }: WholeEntryRow): boolean =>
  lanesIn(lanes).some(([, , , unnamedKey]) => unnamedKey !== undefined);
