import { apartFrom, type Log } from "../../kit/log.ts";
import { logLine } from "../../messages/log/log-catalogue.ts";
import { maskTextByName } from "../../operation/secrets/mask-by-name.ts";
import type { LogLevel, LogLevels } from "./log-levels.ts";
import { type Masking, maskFields } from "./mask-fields.ts";

export interface AdapterLogNeeds {
  readonly log: Log;
  readonly levels: Pick<LogLevels, "isOn">;
  readonly masking: Masking;
}

/** What a record says about itself. Modules of others may have fields of any name. */
const ownMembers: ReadonlySet<string> = new Set(["level", "time", "msg", "code", "room", "fields"]);

/**
 * The log of one adapter. Lines below the level of their room are left out; the others get their code and are masked.
 */
export function adapterLog({ log, levels, masking }: AdapterLogNeeds): Log {
  const at = (level: LogLevel, write: Log["info"]) => (fields: object, text: string) => {
    if (!levels.isOn(level, text)) return;
    const known = logLine(text);
    const named = known === null ? {} : { code: known.code, room: known.room };
    write(
      { ...named, ...apartFrom(ownMembers, maskFields(fields, masking)) },
      known === null ? maskTextByName(masking.maskSecrets(text)) : text,
    );
  };
  // Bound to the log: writers such as pino need their `this`.
  return {
    debug: at("debug", (fields, text) => log.debug(fields, text)),
    info: at("info", (fields, text) => log.info(fields, text)),
    warn: at("warn", (fields, text) => log.warn(fields, text)),
    error: at("error", (fields, text) => log.error(fields, text)),
  };
}
