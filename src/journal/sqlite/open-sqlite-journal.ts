import type { MessagePort } from "node:worker_threads";
import { type Database, openDatabase } from "../../kit/sqlite/sqlite.ts";
import type { NewEntry } from "../entry.ts";
import { type Journal, JournalDamaged, JournalFailed } from "../journal.ts";
import { bulkCalls } from "./bulk/bulk-calls.ts";
import { type PreparedWriter, prepareWriter } from "./prepare-writer.ts";
import { idempotencyFinder } from "./tables/idempotency-table.ts";
import { sqliteReader } from "./tables/journal-reader.ts";
import { type GroupCommit, groupCommit } from "./writer/group-commit.ts";
import type { FromWriter, WriterSettings } from "./writer/writer-messages.ts";
import { openWrittenNotes } from "./writer/written-notes.ts";

export interface SqliteJournalOptions {
  readonly databaseFile: string;
  readonly projectionModule?: URL | undefined;
  readonly projectionOptions?: unknown;
  /**
   * The target of messages that an inline projection emits, such as receipts; absent: they are only kept in the
   * journal.
   */
  readonly emissionTarget?: string | undefined;
  /** Stores every commit at a second place first. Its port, if it has one, is passed to the writer's thread. */
  readonly replica?: JournalReplica | undefined;
  /** The thread of the writer; absent: it is started now. */
  readonly thread?: PreparedWriter | undefined;
  readonly maxWaitingEntries?: number;
  readonly maxWaitingBytes?: number;
  /** How much of a large database is checked for damage before it opens; the rest is checked while it is in use. */
  readonly checkedBytes?: number;
}

/** The second place, as the journal needs it. */
export interface JournalReplica {
  readonly module: URL;
  readonly options: unknown;
  readonly port?: MessagePort;
  /** Called when the journal begins to close. */
  readonly onClosing?: () => Promise<void>;
  /** Called when the journal closes and everything is stored there; the files here are closed afterwards. */
  readonly onComplete?: () => Promise<void>;
}

/** Takes about a tenth of a second at the start. */
const checkedAtStart = 128 * 2 ** 20;

const nothing = { entries: 0, bytes: 0 };

export interface SqliteJournal extends Journal {
  /** Later entries are applied with these options, and emitted messages go to this target. */
  readonly change: (settings: Pick<SqliteJournalOptions, "projectionOptions" | "emissionTarget">) => void;
  readonly onBatch: GroupCommit["onBatch"];
  /** Called by another reader of the file when it finds that the file is damaged. */
  readonly noteDamage: (reason: string) => void;
  /** What was noticed and repaired when the files were opened. */
  readonly notices: readonly string[];
}

/** Opens the journal on SQLite. One writer runs in a separate thread; readers do not wait for it. */
export async function openSqliteJournal(options: SqliteJournalOptions): Promise<SqliteJournal> {
  const { databaseFile, maxWaitingEntries = 5000, maxWaitingBytes = 64 * 2 ** 20 } = options;
  const { worker, notices, left } = await startWriter(options);
  const commits = groupCommit(worker, { maxEntries: maxWaitingEntries, maxBytes: maxWaitingBytes });
  let damageRead: string | null = null;
  const onDamage = (reason: string) => {
    damageRead = reason;
  };
  worker.on("message", (message: FromWriter) => {
    if ("damaged" in message) onDamage(message.damaged);
  });
  let database: Database;
  let notes: ReturnType<typeof openWrittenNotes>;
  try {
    database = openDatabase(databaseFile, { readOnly: true, onDamage });
    notes = openWrittenNotes(databaseFile);
  } catch (error) {
    // Nobody else could close the writer, whose thread may have other journals.
    worker.postMessage("close");
    await worker.ended;
    throw error;
  }

  return {
    append: (entries, leaseToken = "") => commits.run({ name: "append", entries, leaseToken }, weightOf(entries)),
    appendIdempotent: (idempotency, entries) =>
      commits.run({ name: "appendIdempotent", idempotency, entries }, weightOf(entries)),
    ...bulkCalls(worker, left),
    recall: idempotencyFinder(database),
    start: (seq, token, at) => commits.run({ name: "start", seq, token, ...(at === undefined ? {} : { at }) }, nothing),
    note: (lease, marks) => commits.run({ name: "note", lease, marks }, nothing),
    settle: (lease, verdict, attempt, answer) =>
      commits.run({ name: "settle", lease, verdict, attempt, answer: answer ?? null }, nothing),
    noteWritten: notes.note,
    markAnswered: commits.addMark,
    takeBackAnswered: (seq, at) => {
      notes.note(seq, null);
      commits.addMark(seq, at, true);
    },
    act: (seq, action, operator, at) => commits.run({ name: "act", seq, action, operator, at }, nothing),
    prune: (limits) => commits.run({ name: "prune", ...limits }, nothing),
    backup: (file) => database.backup(file),
    change: ({ projectionOptions = null, emissionTarget = null }) => {
      commits.flush();
      worker.postMessage({ changed: { projectionOptions, emissionTarget } });
    },
    failure: commits.failure,
    trouble: () => {
      const { refused, damage } = commits.trouble();
      return { refused, damage: damage ?? damageRead };
    },
    onBatch: commits.onBatch,
    noteDamage: onDamage,
    notices,
    read: sqliteReader(database),
    close: async () => {
      try {
        database.close();
        await Promise.all([commits.drain(), options.replica?.onClosing?.()]);
        await options.replica?.onComplete?.();
        notes.close();
      } finally {
        // Nobody else could close the writer, whose thread may have other journals.
        worker.postMessage("close");
        await worker.ended;
      }
    },
  };
}

const weightOf = (entries: readonly NewEntry[]) => ({
  isPush: entries[0]?.sender !== undefined,
  entries: entries.length,
  bytes: entries.reduce((sum, entry) => sum + entry.body.length + (entry.payload?.length ?? 0), 0),
});

async function startWriter(options: SqliteJournalOptions) {
  const { replica, projectionModule } = options;
  const modules = [projectionModule, replica?.module].filter((one) => one !== undefined);
  const thread = options.thread ?? prepareWriter(modules);
  await thread.loaded;
  const settings: WriterSettings = {
    databaseFile: options.databaseFile,
    projectionModule: projectionModule?.href ?? null,
    projectionOptions: options.projectionOptions ?? null,
    emissionTarget: options.emissionTarget ?? null,
    replica: replica === undefined ? null : { module: replica.module.href, options: replica.options },
    checkedBytes: options.checkedBytes ?? checkedAtStart,
  };
  const worker = thread.begin(settings, replica?.port);
  const message = await worker.first();
  if ("failed" in message) {
    const { failed, damages, codes = {} } = message;
    throw damages === undefined ? Object.assign(new JournalFailed(failed), codes) : new JournalDamaged(damages);
  }
  if (!("ready" in message)) throw new JournalFailed("the journal's writer did not say that it is ready");
  return { worker, notices: message.ready, left: message.left };
}
