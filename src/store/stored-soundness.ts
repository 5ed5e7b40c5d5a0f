import { integer, nullable, pick, type Row, row, text } from "../kit/sqlite/row.ts";
import type { Database } from "../kit/sqlite/sqlite.ts";
import type { DateSettings } from "../operation/dates.ts";
import { isServableItem, isServableOrder, limitsMark, type OpenContext } from "../sdk/connector.ts";
import { workOrderRow } from "./store-rows.ts";

/**
 * Whether what is stored may be given out as it is. An earlier version may have stored what this one would refuse, and one
 * such order makes a whole list unreadable. Until all are checked, and where some are bad, records are handed to
 * the engine as objects, which checks each of them and keeps the bad ones back.
 */
export interface StoredSoundness {
  readonly isSound: () => boolean;
  /** Something was stored: what was bad may have been replaced. */
  readonly touch: () => void;
  readonly close: () => void;
}

type Table = "work_order" | "item";
const storedRow = pick(workOrderRow, "id", "json");
const nextRow = row({ id: integer, json: nullable(text) });

/** In the connector state: the limits that everything stored was checked against. */
export const checkedLimits = "checked-limits";
/** A step takes a millisecond or two; with the pause, a tenth of the time of this thread. */
const rowsPerStep = 50;
const pauseMs = 20;
/** So many bad ones are looked at again when something was stored; with more of them, at the next start. */
const mostRemembered = 1_000;

export function storedSoundness(
  database: Database,
  { connectorState, timers, log }: Pick<OpenContext, "connectorState" | "timers" | "log">,
  dates: DateSettings,
): StoredSoundness {
  // Finished orders are served to nobody; they are counted among the ids so that a step stays short.
  const next = {
    work_order: database.query(
      "SELECT id, CASE ended WHEN 0 THEN json END AS json FROM work_order WHERE id > ? ORDER BY id LIMIT ?",
      nextRow,
    ),
    item: database.query("SELECT rowid AS id, json FROM item WHERE rowid > ? ORDER BY rowid LIMIT ?", nextRow),
  };
  const again = {
    work_order: database.query("SELECT id, json FROM work_order WHERE id = ? AND ended = 0", storedRow),
    item: database.query("SELECT rowid AS id, json FROM item WHERE rowid = ?", storedRow),
  };
  const isBad = (table: Table, { json }: Row<typeof storedRow>): boolean =>
    !(table === "item" ? isServableItem(json) : isServableOrder(json, dates));

  let bad: { readonly table: Table; readonly id: number }[] = [];
  let state: "new" | "sweeping" | "swept" | "sound" = "new";
  let isTouched = false;
  let stop: () => void = () => {};

  /** Where the next step begins; null when all was looked at. */
  const step = (table: Table, after: number): { table: Table; after: number } | null => {
    const rows = next[table].all(after, rowsPerStep);
    for (const { id, json } of rows) {
      if (json !== null && isBad(table, { id, json })) bad.push({ table, id });
    }
    const last = rows.at(-1);
    if (last !== undefined && rows.length === rowsPerStep) return { table, after: last.id };
    return table === "work_order" ? { table: "item", after: 0 } : null;
  };

  const end = (mark: string) => {
    state = bad.length === 0 ? "sound" : "swept";
    if (state === "sound") {
      connectorState
        .write(checkedLimits, mark)
        .catch((err: unknown) => log.warn({ err }, "checked records were not noted"));
      return;
    }
    log.warn(
      { records: bad.length },
      "stored orders or items are beyond the limits of this version; they are kept back",
    );
  };

  const begin = () => {
    const mark = limitsMark();
    if (connectorState.read(checkedLimits) === mark) {
      state = "sound";
      return;
    }
    state = "sweeping";
    const go = (from: { table: Table; after: number }) => {
      const following = step(from.table, from.after);
      if (following === null) end(mark);
      // A small store is done at once.
      else if (following.after === 0) go(following);
      else stop = timers.after(pauseMs, () => go(following));
    };
    go({ table: "work_order", after: 0 });
  };

  return {
    isSound: () => {
      if (state === "new") begin();
      if (state === "swept" && isTouched && bad.length <= mostRemembered) {
        isTouched = false;
        bad = bad.filter(({ table, id }) => {
          const stored = again[table].get(id);
          return stored !== undefined && isBad(table, stored);
        });
        if (bad.length === 0) end(limitsMark());
      }
      return state === "sound";
    },
    touch: () => {
      isTouched = true;
    },
    close: () => stop(),
  };
}
