import { pino } from "pino";
import type { Log } from "../kit/log.ts";
import type { Config } from "./config-schema.ts";
import { prettyLine } from "./pretty-log.ts";

export interface OpenLog extends Log {
  readonly setLevel: (level: Config["logLevel"]) => void;
  /** Writes out what is still waiting. */
  readonly flush: () => void;
}

/**
 * On standard error, so that what a command prints on standard output can be piped on: JSON lines for whoever collects
 * them, and lines to be read where a person sits at a terminal.
 */
export function openLog(
  level: Config["logLevel"],
  { timeZone = "UTC", isTerminal = process.stderr.isTTY === true, colour = false } = {},
): OpenLog {
  const destination = pino.destination({ dest: 2, sync: false });
  const pretty = { write: (line: string) => void destination.write(prettyLine(line, { timeZone, colour })) };
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  const logger = isTerminal ? pino(options, pretty) : pino(options, destination);
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
