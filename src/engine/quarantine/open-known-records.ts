import { type PushTopic, pushTopics } from "../../contract/pushes.ts";
import { integer, nullable, pick, type Row, row, text, textOf } from "../../kit/sqlite/row.ts";
import type { SideDatabase } from "../../kit/sqlite/side-database.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import { wholeTransaction } from "../../kit/sqlite/whole-transaction.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { CompletePoll } from "../../sdk/intake.ts";

/** One element of a source, and its content. */
export interface KnownRecord {
  readonly source: string;
  readonly topic: PushTopic;
  /** The order or item that the element is about. */
  readonly number: string;
  /** Which record of that order or item; empty if there is only one. */
  readonly part: string;
  /** Digest of the content as it is applied. */
  readonly digest: string;
  /** Where the element was found, in the words of its source. */
  readonly origin?: string;
  /** A value that changes whenever the record does; absent if the source has none. */
  readonly version?: string | undefined;
}

/** How the source reads: `again` reads the same records repeatedly, `compared` reads all records from the beginning. */
export type ReadMode = "once" | "again" | "compared" | "unknown";

/**
 * Remembers what each source has already sent, because a poll with an overlap finds the same records again and again.
 */
export interface KnownRecords {
  /**
   * Whether the element is unchanged: the latest content from this source is the same, and nothing has overruled it.
   * With `once`, `claimedAt` says since when the source has the element.
   */
  readonly isKnown: (record: KnownRecord, mode: ReadMode, claimedAt?: number) => boolean;
  /**
   * Call this after the entries are in the journal. In the other order, a crash in between would lose them. `until` is
   * the entry up to which every push has overruled; it is stored too.
   */
  readonly remember: (records: readonly KnownRecord[], until?: number) => void;
  /** Called with the orders or items of a push, which overrules what any source has said about them before. */
  readonly overrule: (topic: PushTopic, numbers: readonly string[], until?: number) => void;
  /** The same for pushes that were stored some time ago. What was said since they were received stays. */
  readonly overruleStored: (
    pushes: readonly { readonly topic: PushTopic; readonly receivedAt: number; readonly numbers: readonly string[] }[],
    until: number,
  ) => void;
  /** The entry up to which every push has overruled; null if it was never stored. */
  readonly overruledUntil: () => number | null;
  /** Whether any seen record could be overruled by a push of this topic. */
  readonly mayOverrule: (topic: PushTopic) => boolean;
  /** Called after a complete reading. An overruled record that is missing from it counts as new when it comes back. */
  readonly missed: (source: string, reading: CompletePoll) => void;
  /** Called with the orders or items whose records were read and put into quarantine: those are not missing. */
  readonly stillThere: (source: string, topic: PushTopic, numbers: readonly string[]) => void;
}

const dayMs = 24 * 3600 * 1000;
/** How many records that are only found again are written together: one write each would take longer than reading them. */
const writtenTogether = 100;
/** A new order overrules its cancellations, and a cancellation its order, whatever their source. */
const opposites: Partial<Record<PushTopic, PushTopic>> = { workOrders: "cancellations", cancellations: "workOrders" };
/** The latest state counts, whoever said it. A cancellation is no state: the same one again lowers nothing more. */
const isState = (topic: PushTopic): boolean => topic !== "cancellations";
const overruledBy = (topic: PushTopic): readonly PushTopic[] => [
  ...(opposites[topic] === undefined ? [] : [opposites[topic]]),
  ...(isState(topic) ? [topic] : []),
];

/** The columns of its table. */
export const knownRecordRow = row({
  source: text,
  topic: textOf(...pushTopics),
  number: text,
  part: text,
  digest: text,
  at: integer,
  origin: text,
  version: nullable(text),
  overruled_at: nullable(integer),
  is_gone: integer,
});
/** One row: the entry up to which every push has overruled. */
export const overruledUntilRow = row({ id: integer, seq: integer });
const foundRow = pick(knownRecordRow, "digest", "at", "version", "overruled_at", "is_gone");

/**
 * Opens the table of seen records, which is limited. The least recently seen are dropped first; at worst they are
 * stored in the journal once more.
 */
export function openKnownRecords({
  database,
  clock,
  maxRecords = 500_000,
}: {
  database: SideDatabase;
  clock: Clock;
  maxRecords?: number;
}): KnownRecords {
  const one = "source = ? AND topic = ? AND number = ? AND part = ?";
  const find = database.query(`SELECT digest, at, version, overruled_at, is_gone FROM seen WHERE ${one}`, foundRow);
  const touch = database.statement(`UPDATE seen SET at = ?, version = coalesce(?, version) WHERE ${one}`);
  const write = database.statement(
    `INSERT OR REPLACE INTO seen (source, topic, number, part, digest, at, origin, version)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const overruleAll = database.statement(
    `UPDATE seen SET overruled_at = ?, is_gone = 0 WHERE source = ? AND topic = ?
       AND number IN (SELECT value FROM json_each(?)) AND at < ? AND overruled_at IS NULL`,
  );
  const storeUntil = database.statement(
    "INSERT INTO overruled_until (id, seq) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET seq = excluded.seq",
  );
  const readUntil = database.query("SELECT seq FROM overruled_until", pick(overruledUntilRow, "seq"));
  const overruleOther = database.statement(
    `UPDATE seen SET overruled_at = ?, is_gone = 0 WHERE ${one} AND digest <> ? AND overruled_at IS NULL`,
  );
  const markGone = database.statement(
    `UPDATE seen SET is_gone = 1 WHERE source = ? AND topic = ? AND origin = ? AND overruled_at IS NOT NULL
       AND overruled_at < ? AND at < ?`,
  );
  const touchAll = database.statement(
    `UPDATE seen SET at = ? WHERE source = ? AND topic = ? AND overruled_at IS NOT NULL
       AND number IN (SELECT value FROM json_each(?))`,
  );
  const oldest = database.query(
    "SELECT source, topic, number, part FROM seen ORDER BY at LIMIT ?",
    pick(knownRecordRow, "source", "topic", "number", "part"),
  );
  const remove = database.statement(`DELETE FROM seen WHERE ${one}`);
  let total = database.query("SELECT count(*) AS total FROM seen", row({ total: integer })).get()?.total ?? 0;
  const sourcesByTopic = new Map<PushTopic, Set<string>>(pushTopics.map((topic) => [topic, new Set()]));
  const sourcesOf = (topic: PushTopic): ReadonlySet<string> => sourcesByTopic.get(topic) ?? new Set();
  const known = database.query("SELECT DISTINCT source, topic FROM seen", pick(knownRecordRow, "source", "topic"));
  for (const { source, topic } of known.all()) sourcesByTopic.get(topic)?.add(source);
  const mayOverrule = (topic: PushTopic) => overruledBy(topic).some((each) => sourcesOf(each).size > 0);

  const keep = ({ source, topic, number, part, digest, origin = "", version }: KnownRecord, now: number) => {
    if (find.get(source, topic, number, part) === undefined) total++;
    write.run(source, topic, number, part, digest, now, origin, version ?? null);
    sourcesByTopic.get(topic)?.add(source);
    const opposite = opposites[topic];
    if (opposite !== undefined) overruleIn(opposite, JSON.stringify([number]), now);
    if (!isState(topic)) return;
    for (const other of sourcesOf(topic)) {
      // What another source said in the same words is confirmed, not overruled.
      if (other !== source) overruleOther.run(now, other, topic, number, part, digest);
    }
  };
  /** `seenBefore` limits it to what was seen before that time. */
  const overruleIn = (topic: PushTopic, numbers: string, now: number, seenBefore = Number.MAX_SAFE_INTEGER) => {
    for (const source of sourcesOf(topic)) overruleAll.run(now, source, topic, numbers, seenBefore);
  };

  const whole = (work: () => void) => {
    const before = total;
    try {
      wholeTransaction(database, work);
    } catch (error) {
      total = before;
      throw error;
    }
    // Not synced: records that a power failure lost from here are taken in again.
    database.keepShort();
  };

  const touchAt = (now: number, { source, topic, number, part, version }: KnownRecord) =>
    touch.run(now, version ?? null, source, topic, number, part);
  let foundAgain: { readonly at: number; readonly record: KnownRecord }[] = [];
  const writeFoundAgain = () => {
    if (foundAgain.length === 0) return;
    const written = foundAgain;
    foundAgain = [];
    whole(() => {
      for (const { at, record } of written) touchAt(at, record);
    });
  };

  return {
    isKnown: (record, mode, claimedAt) => {
      const { source, topic, number, part, digest, version } = record;
      const row = find.get(source, topic, number, part);
      if (row?.digest !== digest || isNews(row, { topic, version, mode, claimedAt, now: clock.now() })) return false;
      // The time is updated once a day, which is enough to know which rows are in use. Updating it every time would be
      // one write per record.
      const isOld = clock.now() - row.at > dayMs;
      const isMoved = version !== undefined && version !== row.version;
      const isWatched = row.overruled_at !== null && mode === "again";
      if (isWatched && !isMoved) {
        if (foundAgain.push({ at: clock.now(), record }) >= writtenTogether) writeFoundAgain();
      } else if (isOld || isMoved) {
        touchAt(clock.now(), record);
        // A source in which nothing is new writes nothing else, and the log would grow with every reading.
        database.keepShort();
      }
      return true;
    },
    remember: (records, until) => {
      writeFoundAgain();
      whole(() => {
        for (const record of records) keep(record, clock.now());
        if (until !== undefined) storeUntil.run(until);
        if (total <= maxRecords) return;
        for (const row of oldest.all(total - maxRecords)) {
          total -= remove.run(row.source, row.topic, row.number, row.part).changes;
        }
      });
    },
    mayOverrule,
    overrule: (topic, numbers, until) => {
      // Without connectors that take in such records, nothing was seen, and a push has no extra cost.
      if (numbers.length === 0 || !mayOverrule(topic)) return;
      const list = JSON.stringify(numbers);
      whole(() => {
        for (const each of overruledBy(topic)) overruleIn(each, list, clock.now());
        if (until !== undefined) storeUntil.run(until);
      });
    },
    overruleStored: (pushes, until) =>
      whole(() => {
        for (const { topic, receivedAt, numbers } of pushes) {
          const list = JSON.stringify(numbers);
          for (const each of overruledBy(topic)) overruleIn(each, list, clock.now(), receivedAt);
        }
        storeUntil.run(until);
      }),
    overruledUntil: () => readUntil.get()?.seq ?? null,
    missed: (source, { topic, origin, startedAt }) => {
      writeFoundAgain();
      markGone.run(source, topic, origin, startedAt, startedAt);
      database.keepShort();
    },
    stillThere: (source, topic, numbers) => {
      if (!sourcesOf(topic).has(source)) return;
      touchAll.run(clock.now(), source, topic, JSON.stringify(numbers));
      database.keepShort();
    },
  };
}

/** Whether known content counts as new, because it has been overruled since. */
function isNews(
  { at, overruled_at: overruledAt, version: known, is_gone: isGone }: Row<typeof foundRow>,
  reading: Pick<KnownRecord, "topic" | "version"> & {
    readonly mode: ReadMode;
    readonly claimedAt: number | undefined;
    readonly now: number;
  },
): boolean {
  const { topic, version, mode, claimedAt, now } = reading;
  if (overruledAt === null || mode === "compared") return false;
  // What was stored after the claim is this element itself, which is read again after an interruption. A time in the
  // future was stored before the clock was set back.
  if (mode === "once") return claimedAt === undefined || at < claimedAt || at > now;
  // An order and its cancellation that are both read repeatedly would alternate for ever: the cancellation wins.
  if (mode === "unknown") return topic === "cancellations";
  // The same version is the old record; another version means that it was changed since.
  return version !== undefined && known !== null ? version !== known : isGone === 1;
}

export function createKnownRecordsTable(database: Database): void {
  database.exec(`CREATE TABLE IF NOT EXISTS seen (
    source TEXT NOT NULL, topic TEXT NOT NULL, number TEXT NOT NULL, part TEXT NOT NULL, digest TEXT NOT NULL,
    at INTEGER NOT NULL, PRIMARY KEY (source, topic, number, part)) STRICT, WITHOUT ROWID`);
  const columns = database.query("SELECT name FROM pragma_table_info('seen')", row({ name: text })).all();
  if (!columns.some(({ name }) => name === "overruled_at")) {
    database.exec(`ALTER TABLE seen ADD COLUMN origin TEXT NOT NULL DEFAULT '';
      ALTER TABLE seen ADD COLUMN version TEXT;
      ALTER TABLE seen ADD COLUMN overruled_at INTEGER;
      ALTER TABLE seen ADD COLUMN is_gone INTEGER NOT NULL DEFAULT 0`);
  }
  database.exec("CREATE INDEX IF NOT EXISTS seen_by_at ON seen (at)");
  database.exec("CREATE TABLE IF NOT EXISTS overruled_until (id INTEGER PRIMARY KEY, seq INTEGER NOT NULL) STRICT");
  // A partial index that holds only overruled records.
  database.exec(
    "CREATE INDEX IF NOT EXISTS seen_overruled ON seen (source, topic, origin) WHERE overruled_at IS NOT NULL",
  );
}
