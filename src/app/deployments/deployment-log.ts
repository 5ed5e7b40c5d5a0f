import type { Config } from "../../config/config-schema.ts";
import type { Log } from "../../kit/log.ts";

const levels = ["debug", "info", "warn", "error", "silent"] as const;

/** The log of one deployment: every line names it, and lines below its own level are left out. */
export function deploymentLog(log: Log, name: string, level: () => Config["logLevel"]): Log {
  const at = (own: (typeof levels)[number], write: Log["info"]) => (fields: object, text: string) => {
    if (levels.indexOf(own) >= levels.indexOf(level())) write({ deployment: name, ...fields }, text);
  };
  // Bound to the log: writers such as pino need their `this`.
  return {
    debug: at("debug", (fields, text) => log.debug(fields, text)),
    info: at("info", (fields, text) => log.info(fields, text)),
    warn: at("warn", (fields, text) => log.warn(fields, text)),
    error: at("error", (fields, text) => log.error(fields, text)),
  };
}
