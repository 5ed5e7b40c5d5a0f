import { Worker } from "node:worker_threads";
import { moduleUrl } from "../kit/module-url.ts";
import { integer, pick, row } from "../kit/sqlite/row.ts";
import type { Database } from "../kit/sqlite/sqlite.ts";
import type { DateSettings } from "../operation/dates.ts";
import type { OpenContext } from "../sdk/connector.ts";
import { limitsMark } from "../sdk/servable-record.ts";
import { workOrderRow } from "./store-rows.ts";
import { type BadStored, isBadStored, sweepStored } from "./sweep-stored.ts";
import type { SweepJob } from "./sweep-worker.ts";

/**
 * Whether stored records may be served without a check. An earlier version may have stored what this one would refuse,
 * and one such order makes a whole list unreadable. Until all are checked, or while some are bad, records go to the
 * engine as objects: it checks each one and withholds the bad ones.
 */
export interface StoredSoundness {
  readonly isSound: () => boolean;
  /** Called after something was stored: a bad record may have been replaced. */
  readonly checkAgain: () => void;
  readonly close: () => void;
}

const storedRow = pick(workOrderRow, "id", "json");

/** Key in the connector state: the limits that all stored records were checked against. */
export const checkedLimits = "checked-limits";
/** With fewer and shorter records, the check runs within the query, in a few milliseconds; otherwise in a thread. */
const fewRecords = 100;
const fewBytes = 512 * 1024;
/** Up to this many bad records are checked again after something was stored; more are checked at the next start. */
const mostRemembered = 1_000;

export function storedSoundness(
  database: Database,
  { connectorState, databaseFile, log }: Pick<OpenContext, "connectorState" | "databaseFile" | "log">,
  dates: DateSettings,
): StoredSoundness {
  const again = {
    work_order: database.query("SELECT id, json FROM work_order WHERE id = ? AND ended = 0", storedRow),
    item: database.query("SELECT rowid AS id, json FROM item WHERE rowid = ?", storedRow),
  };
  // SQLite stores the lengths before the texts: the texts themselves are not read.
  const size = database.query(
    `SELECT count(*) AS n, coalesce(sum(bytes), 0) AS bytes FROM (
       SELECT * FROM (SELECT octet_length(json) AS bytes FROM work_order LIMIT ?)
       UNION ALL SELECT * FROM (SELECT octet_length(json) AS bytes FROM item LIMIT ?))`,
    row({ n: integer, bytes: integer }),
  );

  let bad: readonly BadStored[] = [];
  let state: "new" | "sweeping" | "swept" | "sound" = "new";
  let isCheckDue = false;
  let stop: () => void = () => {};

  const end = (found: readonly BadStored[]) => {
    bad = found;
    state = bad.length === 0 ? "sound" : "swept";
    if (state === "sound") {
      connectorState
        .write(checkedLimits, limitsMark())
        .catch((err: unknown) => log.warn({ err }, "checked records were not noted"));
      return;
    }
    log.warn(
      { records: bad.length },
      "stored orders or items are beyond the limits of this version; they are kept back",
    );
  };

  const sweepInThread = () => {
    state = "sweeping";
    const thread = new Worker(moduleUrl("./sweep-worker", import.meta.url), {
      workerData: { databaseFile, dates } satisfies SweepJob,
    });
    // Stopping the adapter does not wait for the thread.
    thread.unref();
    stop = () => void thread.terminate();
    thread.once("message", end);
    thread.once("error", (err) =>
      log.warn({ err }, "stored records could not be checked; each is checked when it is served"),
    );
  };

  const begin = () => {
    if (connectorState.read(checkedLimits) === limitsMark()) state = "sound";
    else if (isSmall()) end([...sweepStored(database, dates)].flat());
    else sweepInThread();
  };
  const isSmall = () => {
    const { n, bytes } = size.get(fewRecords, fewRecords) ?? { n: 0, bytes: 0 };
    return n < fewRecords && bytes <= fewBytes;
  };

  // Records pushed into an empty store are checked on arrival. Noted now, because at the first query there may be
  // 100,000 orders.
  if (connectorState.read(checkedLimits) === undefined && size.get(1, 1)?.n === 0) end([]);

  return {
    isSound: () => {
      if (state === "new") begin();
      if (state === "swept" && isCheckDue && bad.length <= mostRemembered) {
        isCheckDue = false;
        const still = bad.filter(({ table, id }) => {
          const stored = again[table].get(id);
          return stored !== undefined && isBadStored(table, stored.json, dates);
        });
        if (still.length === 0) end([]);
        else bad = still;
      }
      return state === "sound";
    },
    checkAgain: () => {
      isCheckDue = true;
    },
    close: () => stop(),
  };
}
