import { secretMask } from "../../config/document/resolve-text.ts";
import type { LoadedConfig } from "../../config/load-config.ts";
import { type Log, withFields } from "../../kit/log.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { adapterLog } from "../log/adapter-log.ts";
import { createLogLevels } from "../log/log-levels.ts";

/** The log of one deployment; every line contains its name. */
export const deploymentLog = (log: Log, name: string): Log => withFields(log, { deployment: name });

/** The log for a deployment that may be closed. It uses the levels and secrets of the deployment's configuration. */
export function gateLog(log: Log, loaded: () => Pick<LoadedConfig, "config" | "redact">, clock: Clock): Log {
  const secrets = secretMask();
  let learned: LoadedConfig["config"] | null = null;
  const maskSecrets = (text: string) => {
    const { config, redact } = loaded();
    if (config !== learned) secrets.learn(config, redact);
    learned = config;
    return secrets.mask(text);
  };
  return adapterLog({
    log,
    levels: { isOn: (level, text) => createLogLevels(loaded().config, clock).isOn(level, text) },
    masking: {
      maskSecrets,
      people: () => Object.keys(loaded().config.console.users),
      hidesPeople: () => loaded().config.logging.personalData === "mask",
    },
  });
}
