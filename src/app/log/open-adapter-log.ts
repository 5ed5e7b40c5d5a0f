import type { Config } from "../../config/config-schema.ts";
import { secretMask } from "../../config/document/resolve-text.ts";
import type { Log } from "../../kit/log.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { adapterLog } from "./adapter-log.ts";
import { createLogLevels, type LogLevels } from "./log-levels.ts";

export interface OpenAdapterLog {
  readonly log: Log;
  readonly levels: LogLevels;
  readonly maskSecrets: (text: string) => string;
  /** Masks the secrets of another configuration too. Earlier secrets stay masked. */
  readonly learn: (config: Config, redact?: (text: string) => string) => void;
  /** Takes over the levels and people of a configuration that is in effect. */
  readonly configure: (config: Config) => void;
}

/** Opens the log of an adapter, with the settings of its configuration. */
export function openAdapterLog(given: {
  readonly log: Log;
  readonly config: Config;
  readonly clock: Clock;
  readonly redact?: ((text: string) => string) | undefined;
}): OpenAdapterLog {
  let { config } = given;
  const secrets = secretMask();
  const levels = createLogLevels(config, given.clock);
  secrets.learn(config, given.redact);
  const configure: OpenAdapterLog["configure"] = (next) => {
    config = next;
    levels.configure(next);
  };
  const masking = {
    maskSecrets: secrets.mask,
    people: () => Object.keys(config.console.users),
    hidesPeople: () => config.logging.personalData === "mask",
  };
  const log = adapterLog({ log: given.log, levels, masking });
  return { log, levels, maskSecrets: secrets.mask, learn: secrets.learn, configure };
}
