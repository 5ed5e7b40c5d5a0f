import { recentValues } from "../../kit/recent-values.ts";
import type { Database } from "../../kit/sqlite.ts";
import { lanesIn } from "./row.ts";

/** Lanes that are worked in are not looked up with every entry. */
const rememberedLanes = 10_000;
/** So many lanes, or entries, and their positions are stored: a start or a rollback reads the entries since then. */
const mostUnstored = { lanes: 500, entries: 5_000 };

export interface LanePositions {
  /** At the begin of a batch. */
  readonly begin: () => void;
  /** The position after the last one given in the lane. */
  readonly next: (lane: string) => number;
  /** At the end of a batch, with the last entry's number: stores them where there are many. */
  readonly end: (lastSeq: number) => void;
  /** Stores them now: before entries go that they could be read from. */
  readonly store: (lastSeq: number) => void;
  /** After a rollback: what was given last is free again. */
  readonly forget: () => void;
}

/**
 * Counts the entries of every lane. Each entry has its positions itself; those of the last few are read from there,
 * and the table of lanes is behind by so many. With every entry it would cost a row, and mostly a page.
 */
export function lanePositions(database: Database): LanePositions {
  const lastOf = database.statement("SELECT last_position FROM lane WHERE lane = ?");
  const setLast = database.statement(
    `INSERT INTO lane (lane, last_position) VALUES (?, ?)
     ON CONFLICT (lane) DO UPDATE SET last_position = excluded.last_position`,
  );
  const storedUpTo = database.statement("SELECT positions_up_to AS seq FROM last_entry");
  const setStoredUpTo = database.statement("UPDATE last_entry SET positions_up_to = ?");
  const lanesAfter = database.statement("SELECT lanes FROM entry WHERE seq > ? ORDER BY seq");
  const recent = recentValues<number>(rememberedLanes);
  const unstored = new Map<string, number>();
  let upTo: number | null = null;

  const begin = () => {
    if (upTo !== null) return;
    recent.clear();
    unstored.clear();
    const seq = storedUpTo.get<{ seq: number }>()?.seq ?? 0;
    for (const { lanes } of lanesAfter.all<{ lanes: string }>(seq)) {
      for (const [lane, position] of lanesIn(lanes)) if (position > 0) unstored.set(lane, position);
    }
    upTo = seq;
  };

  const store = (lastSeq: number) => {
    if (lastSeq === upTo) return;
    // In the order of their table: neighbours are on the same page.
    for (const lane of [...unstored.keys()].sort()) {
      const position = unstored.get(lane) ?? 0;
      setLast.run(lane, position);
      recent.set(lane, position);
    }
    unstored.clear();
    setStoredUpTo.run(lastSeq);
    upTo = lastSeq;
  };

  return {
    begin,
    next: (lane) => {
      const last =
        unstored.get(lane) ?? recent.get(lane) ?? lastOf.get<{ last_position: number }>(lane)?.last_position ?? 0;
      unstored.set(lane, last + 1);
      return last + 1;
    },
    end: (lastSeq) => {
      if (unstored.size >= mostUnstored.lanes || lastSeq - (upTo ?? 0) >= mostUnstored.entries) store(lastSeq);
    },
    store,
    forget: () => {
      upTo = null;
    },
  };
}
