import { parentPort, type Transferable, workerData } from "node:worker_threads";
import { type JournalOverview, openJournalOverview } from "../../engine/journal-view/journal-overview.ts";
import { sqliteReader } from "../../journal/sqlite/tables/journal-reader.ts";
import { jsonInTurns } from "../../kit/json/bytes-in-turns.ts";
import { openDatabase } from "../../kit/sqlite/sqlite.ts";
import { answerJobs } from "../../kit/threads/job-thread.ts";
import { alone } from "../../large-bodies/event-thread.ts";
import { orderRecordsIn } from "../stored-journal.ts";

export type ViewName = keyof JournalOverview;
export interface ViewJob {
  readonly view: ViewName;
  readonly given: readonly unknown[];
}
/** JSON, so that the main thread can read a long answer in turns; or a value, which it takes over at once. */
export type ViewResult =
  | { readonly json: Uint8Array<ArrayBuffer> }
  | { readonly value: unknown; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly damage: string };

let damage: string | null = null;
// The thread that starts this one gives it the file of the database.
const database = openDatabase(workerData as string, {
  readOnly: true,
  onDamage: (reason) => {
    damage = reason;
  },
});
const views = openJournalOverview({ read: sqliteReader(database), orderRecords: orderRecordsIn(database) });

async function answer({ view, given }: ViewJob): Promise<ViewResult> {
  try {
    // The main thread calls each view with what it takes.
    const value = await (views[view] as (...all: readonly unknown[]) => Promise<unknown>)(...given);
    if (isPage(value)) return { value, bytes: value.bytes };
    return { json: alone(await jsonInTurns(value)) };
  } catch (error) {
    if (damage !== null) return { damage };
    throw error;
  }
}

const isPage = (value: unknown): value is { readonly bytes: Uint8Array<ArrayBuffer> } =>
  typeof value === "object" && value !== null && "bytes" in value && value.bytes instanceof Uint8Array;

const transferred = (result: ViewResult): Transferable[] =>
  "json" in result ? [result.json.buffer] : "bytes" in result ? [result.bytes.buffer] : [];

answerJobs(parentPort, answer, transferred);
