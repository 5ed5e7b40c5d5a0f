import { pino } from "pino";
import type { Log } from "../kit/log.ts";
import type { Config } from "./config-schema.ts";

export interface OpenLog extends Log {
  readonly setLevel: (level: Config["logLevel"]) => void;
  /** Writes out what is still waiting. */
  readonly flush: () => void;
}

/** JSON lines on standard error, so that what a command prints on standard output can be piped on. */
export function openLog(level: Config["logLevel"]): OpenLog {
  const destination = pino.destination({ dest: 2, sync: false });
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  return {
    debug: (fields, text) => logger.debug(fields, text),
    info: (fields, text) => logger.info(fields, text),
    warn: (fields, text) => logger.warn(fields, text),
    error: (fields, text) => logger.error(fields, text),
    setLevel: (next) => {
      logger.level = next;
    },
    flush: () => {
      try {
        destination.flushSync();
      } catch {
        // Nobody reads standard error any more; there is no better place to say so.
      }
    },
  };
}
