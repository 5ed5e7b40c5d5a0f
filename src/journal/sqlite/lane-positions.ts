import { recentValues } from "../../kit/recent-values.ts";
import type { Database } from "../../kit/sqlite.ts";

/** Lanes that are worked in are not looked up with every entry. */
const rememberedLanes = 10_000;

export interface LanePositions {
  /** The position after the last one given in the lane. */
  readonly next: (lane: string) => number;
  /** After a rollback: what was given last is free again. */
  readonly forget: () => void;
}

export function lanePositions(database: Database): LanePositions {
  const lastOf = database.statement("SELECT last_position FROM lane WHERE lane = ?");
  const setLast = database.statement(
    `INSERT INTO lane (lane, last_position) VALUES (?, ?)
     ON CONFLICT (lane) DO UPDATE SET last_position = excluded.last_position`,
  );
  const recent = recentValues<number>(rememberedLanes);
  return {
    next: (lane) => {
      const last = recent.get(lane) ?? lastOf.get<{ last_position: number }>(lane)?.last_position ?? 0;
      setLast.run(lane, last + 1);
      recent.set(lane, last + 1);
      return last + 1;
    },
    forget: recent.clear,
  };
}
