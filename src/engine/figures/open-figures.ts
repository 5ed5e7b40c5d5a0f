import { integer, row, text } from "../../kit/sqlite/row.ts";
import { openSideDatabase, type SideDatabaseOptions, type SideFile } from "../../kit/sqlite/side-database.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { Timers } from "../../kit/time/timers.ts";
import {
  durationBounds,
  emptyFigure,
  type Figure,
  type FigureRange,
  type FigureSeries,
  figurePoint,
  sumFigures,
} from "./figure.ts";

/** Rates and durations of the last seven days, for the console. */
export interface Figures {
  readonly answered: (isSuccess: boolean, ms: number) => void;
  readonly attempted: (isDelivered: boolean) => void;
  readonly pushed: () => void;
  readonly series: (range: FigureRange) => FigureSeries;
  readonly close: () => void;
}

const minuteMs = 60_000;
const quarterMs = 15 * minuteMs;
const dayMs = 24 * 60 * minuteMs;
/** How long rows of each span are kept: at most 1,440 and 672 rows. */
const kept = [
  { span: minuteMs, forMs: dayMs },
  { span: quarterMs, forMs: 7 * dayMs },
] as const;
const ranges: Readonly<
  Record<FigureRange, { readonly span: number; readonly point: number; readonly length: number }>
> = {
  "15m": { span: minuteMs, point: minuteMs, length: quarterMs },
  "24h": { span: quarterMs, point: quarterMs, length: dayMs },
  "7d": { span: quarterMs, point: 8 * quarterMs, length: 7 * dayMs },
};

/** The columns of each table, by the table's name. */
export const figureFileRows = { figure: row({ span: integer, at: integer, counts: text }) };

export const figureFile: SideFile = {
  name: "figures.db",
  withoutIt: "the charts of the console begin anew",
  createTables: (database) =>
    database.exec(`CREATE TABLE IF NOT EXISTS figure (span INTEGER NOT NULL, at INTEGER NOT NULL, counts TEXT NOT NULL,
      PRIMARY KEY (span, at)) STRICT, WITHOUT ROWID`),
};

/**
 * Counts in memory and writes once per minute in which something happened. A crash loses the current minute. It is a
 * file of its own because the journal has only one writer.
 */
export function openFigures(needs: SideDatabaseOptions & { readonly clock: Clock; readonly timers: Timers }): Figures {
  const { clock, timers, log } = needs;
  const database = openSideDatabase(figureFile, needs);
  const put = database.statement("INSERT OR REPLACE INTO figure (span, at, counts) VALUES (?, ?, ?)");
  const drop = database.statement("DELETE FROM figure WHERE span = ? AND at = ?");
  const cut = database.statement("DELETE FROM figure WHERE span = ? AND at < ?");
  const select = database.query(
    "SELECT span, at, counts FROM figure WHERE span = ? AND at >= ? AND at < ? ORDER BY at",
    figureFileRows.figure,
  );
  // Only the code below writes these rows.
  const stored = (span: number, from: number, to: number): Figure[] =>
    select.all(span, from, to).map(({ counts }) => JSON.parse(counts) as Figure);

  /** Removes the current minute from the file and returns it, so that a restarted process continues to count in it. */
  const takeBack = (at: number): Draft => {
    const [known] = stored(minuteMs, at, at + 1);
    if (known === undefined) return draft(at);
    const quarter = startOf(at, quarterMs);
    drop.run(minuteMs, at);
    const rest = stored(minuteMs, quarter, quarter + quarterMs);
    put.run(quarterMs, quarter, JSON.stringify(sumFigures(quarter, rest)));
    return { ...known, durations: [...known.durations] };
  };
  let minute = takeBack(startOf(clock.now(), minuteMs));
  const current = () => {
    const at = startOf(clock.now(), minuteMs);
    if (minute.at !== at) {
      store();
      minute = draft(at);
    }
    return minute;
  };
  const store = () => {
    if (minute.answers + minute.pushes + minute.delivered + minute.failed === 0) return;
    try {
      const quarter = startOf(minute.at, quarterMs);
      const before = stored(minuteMs, quarter, quarter + quarterMs).filter(({ at }) => at !== minute.at);
      put.run(minuteMs, minute.at, JSON.stringify(minute));
      put.run(quarterMs, quarter, JSON.stringify(sumFigures(quarter, [...before, minute])));
      for (const { span, forMs } of kept) cut.run(span, minute.at - forMs);
      // Not synced, because nothing depends on the last minutes.
      database.keepShort();
    } catch (error) {
      // A failed write must not stop the floor: only a chart is incomplete.
      log.warn({ err: error }, "the figures of a minute could not be stored");
    }
  };
  let cancel = timers.after(minuteMs, tick);
  function tick(): void {
    current();
    cancel = timers.after(minuteMs, tick);
  }

  return {
    answered: (isSuccess, ms) => {
      const now = current();
      now.answers++;
      if (!isSuccess) now.refusals++;
      const place = durationBounds.findIndex((bound) => ms <= bound);
      const index = place < 0 ? durationBounds.length : place;
      now.durations[index] = (now.durations[index] ?? 0) + 1;
    },
    attempted: (isDelivered) => {
      if (isDelivered) current().delivered++;
      else current().failed++;
    },
    pushed: () => {
      current().pushes++;
    },
    series: (range) => {
      const { span, point, length } = ranges[range];
      const last = startOf(clock.now(), point);
      const first = last - length + point;
      // Called first, because it stores the minute that has just ended.
      const now = current();
      const rows = stored(span, first, last + point);
      // The current minute is stored only when it has ended.
      const all = [...rows, now];
      const starts = Array.from({ length: length / point }, (_, index) => first + index * point);
      const points = starts.map((at) =>
        sumFigures(
          at,
          all.filter((one) => startOf(one.at, point) === at),
        ),
      );
      return {
        range,
        secondsPerPoint: point / 1000,
        points: points.map(figurePoint),
        total: figurePoint(sumFigures(first, points)),
      };
    },
    close: () => {
      cancel();
      store();
      database.close();
    },
  };
}

interface Draft extends Figure {
  answers: number;
  refusals: number;
  pushes: number;
  delivered: number;
  failed: number;
  readonly durations: number[];
}

const draft = (at: number): Draft => ({ ...emptyFigure(at), durations: [...emptyFigure(at).durations] });
const startOf = (at: number, span: number): number => Math.floor(at / span) * span;
