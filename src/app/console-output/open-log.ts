import { styleText } from "node:util";
import { pino } from "pino";
import type { Log } from "../../kit/log.ts";
import { errorRecord } from "./error-record.ts";
import { type LineSink, lineSink } from "./line-sink.ts";

export interface OpenLog extends Log {
  /** Writes out the lines that are still buffered. */
  readonly flush: () => void;
}

/**
 * Logs to standard error, so that a command's standard output can be piped: as JSON lines for log collectors, as
 * readable lines on a terminal.
 */
export function openLog({
  timeZone = "UTC",
  isTerminal = process.stderr.isTTY === true,
  colour = false,
} = {}): OpenLog {
  const destination: LineSink = lineSink({ fd: 2, log: { error: (fields, text) => logger.error(fields, text) } });
  process.once("exit", destination.flush);
  const pretty = { write: (line: string) => void destination.write(prettyLine(line, { timeZone, colour })) };
  // Levels are decided elsewhere, because they differ by room.
  const options = {
    ...{ level: "debug", base: null, timestamp: pino.stdTimeFunctions.isoTime },
    serializers: { err: errorRecord },
  };
  const logger = isTerminal ? pino(options, pretty) : pino(options, destination);
  return {
    debug: (fields, text) => logger.debug(fields, text),
    info: (fields, text) => logger.info(fields, text),
    warn: (fields, text) => logger.warn(fields, text),
    error: (fields, text) => logger.error(fields, text),
    flush: destination.flush,
  };
}

const levels: Readonly<Record<number, readonly [name: string, style: Parameters<typeof styleText>[0]]>> = {
  20: ["debug", "dim"],
  30: ["info", "green"],
  40: ["warn", "yellow"],
  50: ["error", "red"],
};

/** One log line for a terminal: time of day in the site's time zone, level, text, other fields. */
export function prettyLine(line: string, { timeZone, colour }: { timeZone: string; colour: boolean }): string {
  let entry: Readonly<Record<string, unknown>>;
  try {
    // The logger writes each line as a JSON object.
    entry = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return line;
  }
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    colour ? styleText(style, text, { validateStream: false }) : text;
  const { level, time, msg, err, ...others } = entry;
  const [name, style] = levels[Number(level)] ?? ["", "dim"];
  const at = new Date(String(time)).toLocaleTimeString("sv-SE", { timeZone });
  // The log library writes errors in this form. Whatever else a module calls `err` is a field like any other.
  const { message, stack = "" } = (typeof err === "object" && err !== null ? err : {}) as ShownError;
  const fields = err === undefined || message !== undefined ? others : { ...others, err };
  const rest = Object.entries(fields).map(([key, value]) => paint("dim", ` ${inOneLine(key)}=${shown(value)}`));
  const reason = message ? `: ${inOneLine(message)}` : "";
  const trace = Number(level) >= 50 && stack !== "" ? `\n${paint("dim", harmless(stack))}` : "";
  return `${paint("dim", at)} ${paint(style, name.padEnd(5))} ${inOneLine(String(msg ?? ""))}${reason}${rest.join("")}${trace}\n`;
}

interface ShownError {
  readonly message?: string;
  readonly stack?: string;
}

const shown = (value: unknown): string => inOneLine(typeof value === "string" ? value : JSON.stringify(value));

// Control characters except the line break, and marks that turn the direction of writing.
const control = /(?!\n)\p{Cc}|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/**
 * A text without what a terminal obeys: the answer of an external system must not clear the screen, nor look like
 * another line.
 */
const harmless = (text: string): string =>
  text.replaceAll(control, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);

const inOneLine = (text: string): string => harmless(text).replaceAll("\n", "\\n");
