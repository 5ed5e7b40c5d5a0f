import { logLevelNames } from "../../contract/admin/log-rows.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { logLine } from "../../messages/log/log-catalogue.ts";
import { type LogRoom, logRoomNames } from "../../messages/log/log-line.ts";

export type LogLevel = (typeof logLevelNames)[number];

/** The levels in the configuration. */
export interface LevelSettings {
  readonly logLevel: LogLevel;
  readonly logging: { readonly rooms: { readonly [Room in LogRoom]?: LogLevel } };
}

export interface RoomLevel {
  readonly room: LogRoom;
  readonly level: LogLevel;
  /** When the room returns to the level of the configuration, as ISO 8601; null: it has that level. */
  readonly until: string | null;
}

export interface LogLevels {
  readonly isOn: (level: LogLevel, text: string) => boolean;
  /** Sets another level for a while; null returns to the configuration at once. */
  readonly set: (room: LogRoom, change: { readonly level: LogLevel; readonly forMs: number } | null) => void;
  /** Switches to another configuration; temporary levels stay. */
  readonly configure: (settings: LevelSettings) => void;
  readonly view: () => readonly RoomLevel[];
}

const rank = (level: LogLevel) => logLevelNames.indexOf(level);

/** Decides which lines are written. A temporary level ends by the clock, so that nobody has to remember it. */
export function createLogLevels(settings: LevelSettings, clock: Clock): LogLevels {
  let { logLevel: general, logging } = settings;
  const forAWhile = new Map<LogRoom, { readonly level: LogLevel; readonly until: number }>();
  const temporary = (room: LogRoom) => {
    const found = forAWhile.get(room);
    if (found !== undefined && found.until <= clock.now()) forAWhile.delete(room);
    return forAWhile.get(room);
  };
  const levelOf = (room: LogRoom) => temporary(room)?.level ?? logging.rooms[room] ?? general;
  return {
    isOn: (level, text) => {
      // The common case needs no search in the catalogue: a delivery logs at `debug` and must stay cheap.
      if (forAWhile.size === 0 && Object.keys(logging.rooms).length === 0) return rank(level) >= rank(general);
      // Only third-party modules log texts that are not in the catalogue.
      return rank(level) >= rank(levelOf(logLine(text)?.room ?? "connectors"));
    },
    set: (room, change) => {
      if (change === null) forAWhile.delete(room);
      else forAWhile.set(room, { level: change.level, until: clock.now() + change.forMs });
    },
    configure: (next) => {
      general = next.logLevel;
      logging = next.logging;
    },
    view: () =>
      logRoomNames.map((room) => {
        const found = temporary(room);
        return { room, level: levelOf(room), until: found === undefined ? null : new Date(found.until).toISOString() };
      }),
  };
}
