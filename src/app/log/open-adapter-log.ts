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
  /** Takes over the levels, secrets and people of another configuration. Earlier secrets stay masked. */
  readonly learn: (config: Config, redact?: (text: string) => string) => void;
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
  const learn: OpenAdapterLog["learn"] = (next, redact) => {
    config = next;
    secrets.learn(next, redact);
    levels.configure(next);
  };
  learn(config, given.redact);
  const masking = {
    maskSecrets: secrets.mask,
    people: () => Object.keys(config.console.users),
    hidesPeople: () => config.logging.personalData === "mask",
  };
  return { log: adapterLog({ log: given.log, levels, masking }), levels, maskSecrets: secrets.mask, learn };
}
