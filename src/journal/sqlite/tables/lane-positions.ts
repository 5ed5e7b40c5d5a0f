import { recentValues } from "../../../kit/recent-values.ts";
import { pick } from "../../../kit/sqlite/row.ts";
import type { Database } from "../../../kit/sqlite/sqlite.ts";
import { lanesIn } from "./entry-columns.ts";
import { laneRow, seqRow } from "./journal-rows.ts";

/** Active lanes are cached, so that they are not looked up for every entry. */
const rememberedLanes = 10_000;
/** After this many unstored changes the positions are stored, because a start has to read all these entries. */
const mostUnstored = { lanes: 500, entries: 5_000, characters: 1_000_000 };

export interface LanePositions {
  /** Call at the beginning of a batch. */
  readonly begin: () => void;
  /** The position after the last one given in the lane. */
  readonly next: (lane: string) => number;
  /** Reports the length of an entry's stored lanes. */
  readonly filed: (characters: number) => void;
  /** Call at the end of a batch with the last entry's number: stores the positions if there are many. */
  readonly end: (lastSeq: number) => void;
  /** Stores the positions now. Call this before deleting entries that hold them. */
  readonly store: (lastSeq: number) => void;
  /**
   * Called when the batch is stored (`keep`), or was rolled back (`rollBack`), so that its positions are free again.
   */
  readonly keep: () => void;
  readonly rollBack: () => void;
}

/**
 * Counts the entries of every lane. Each entry stores its own positions. For the last few entries they are read from
 * there, and the table of lanes is updated later: updating it with every entry would cost one more row, and usually a
 * page.
 */
export function lanePositions(database: Database): LanePositions {
  const lastOf = database.query("SELECT last_position FROM lane WHERE lane = ?", pick(laneRow, "last_position"));
  // The position never decreases: two lanes that differ in memory may be one in the file, if their names hold half a
  // character.
  const setLast = database.statement(
    `INSERT INTO lane (lane, last_position) VALUES (?, ?)
     ON CONFLICT (lane) DO UPDATE SET last_position = max(last_position, excluded.last_position)`,
  );
  const storedUpTo = database.query("SELECT positions_up_to AS seq FROM last_entry", seqRow);
  const setStoredUpTo = database.statement("UPDATE last_entry SET positions_up_to = ?");
  const lanesAfter = database.statement("SELECT lanes FROM entry WHERE seq > ? ORDER BY seq");

  /** The positions that are stored in the table. */
  const recent = recentValues<number>(rememberedLanes);
  /** `unstored` holds the positions of the entries after `upTo`; null until they have been read. */
  let upTo: number | null = null;
  const unstored = new Map<string, number>();
  let characters = 0;
  /** Changes made by this batch. */
  const given = new Map<string, number>();
  let givenCharacters = 0;
  let stored: { readonly upTo: number; readonly positions: ReadonlyMap<string, number> } | null = null;

  const read = () => {
    const seq = storedUpTo.get()?.seq ?? 0;
    unstored.clear();
    characters = 0;
    for (const [lanes] of lanesAfter.iterate(seq)) {
      const text = String(lanes);
      characters += text.length;
      for (const [lane, position] of lanesIn(text)) if (position > 0) unstored.set(lane, position);
    }
    upTo = seq;
  };

  const store = (lastSeq: number) => {
    const positions = new Map([...(stored?.positions ?? unstored), ...given]);
    // Written in the order of the table, because neighbours are on the same page.
    for (const lane of [...positions.keys()].sort()) setLast.run(lane, positions.get(lane) ?? 0);
    setStoredUpTo.run(lastSeq);
    stored = { upTo: lastSeq, positions };
    given.clear();
    givenCharacters = 0;
  };

  const rollBack = () => {
    given.clear();
    givenCharacters = 0;
    stored = null;
  };

  return {
    begin: () => {
      if (upTo === null) read();
    },
    next: (lane) => {
      const last =
        given.get(lane) ??
        (stored?.positions ?? unstored).get(lane) ??
        recent.get(lane) ??
        lastOf.get(lane)?.last_position ??
        0;
      given.set(lane, last + 1);
      return last + 1;
    },
    filed: (more) => {
      givenCharacters += more;
    },
    end: (lastSeq) => {
      const isFar = lastSeq - (stored?.upTo ?? upTo ?? 0) >= mostUnstored.entries;
      const isLong = (stored === null ? characters : 0) + givenCharacters >= mostUnstored.characters;
      if (isFar || isLong || unstored.size + given.size >= mostUnstored.lanes) store(lastSeq);
    },
    store,
    keep: () => {
      if (stored !== null) {
        for (const [lane, position] of stored.positions) recent.set(lane, position);
        unstored.clear();
        characters = 0;
        ({ upTo } = stored);
      }
      for (const [lane, position] of given) unstored.set(lane, position);
      characters += givenCharacters;
      rollBack();
    },
    rollBack,
  };
}
