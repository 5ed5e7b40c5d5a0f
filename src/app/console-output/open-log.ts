import { styleText } from "node:util";
import { pino } from "pino";
import type { Config } from "../../config/config-schema.ts";
import type { Log } from "../../kit/log.ts";

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

const levels: Readonly<Record<number, readonly [name: string, style: Parameters<typeof styleText>[0]]>> = {
  20: ["debug", "dim"],
  30: ["info", "green"],
  40: ["warn", "yellow"],
  50: ["error", "red"],
};

/** A line of the log for a person at a terminal: the time of day where the site is, the level, the text, the rest. */
export function prettyLine(line: string, { timeZone, colour }: { timeZone: string; colour: boolean }): string {
  let entry: Readonly<Record<string, unknown>>;
  try {
    // Written by the logger, as an object.
    entry = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return line;
  }
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    colour ? styleText(style, text, { validateStream: false }) : text;
  const { level, time, msg, err, ...fields } = entry;
  const [name, style] = levels[Number(level)] ?? ["", "dim"];
  const at = new Date(String(time)).toLocaleTimeString("sv-SE", { timeZone });
  const rest = Object.entries(fields).map(([key, value]) => paint("dim", ` ${key}=${shown(value)}`));
  // The log library writes errors so.
  const { message = "", stack = "" } = (err ?? {}) as { message?: string; stack?: string };
  const reason = message === "" ? "" : `: ${message}`;
  const trace = Number(level) >= 50 && stack !== "" ? `\n${paint("dim", stack)}` : "";
  return `${paint("dim", at)} ${paint(style, name.padEnd(5))} ${String(msg ?? "")}${reason}${rest.join("")}${trace}\n`;
}

const shown = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
