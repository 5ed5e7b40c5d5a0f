import { type LoadedConfig, type LoadOptions, loadConfig } from "../../../config/load-config.ts";
import { loadDeployment, type OneDeployment } from "../../deployments/load-deployments.ts";

/** Where a configuration is loaded from. Plain data, so that another thread can load it too. */
export type ConfigSource =
  | Pick<LoadOptions, "file" | "options" | "env" | "cwd">
  | { readonly deployment: Pick<OneDeployment, "name" | "file" | "dataFolder" | "env"> };

/** Loads the configuration: from its file, or from a text that would replace the file's content. */
export const loadFrom = async (source: ConfigSource, text: string | undefined): Promise<LoadedConfig> =>
  "deployment" in source
    ? (await loadDeployment({ ...source.deployment, text })).loaded
    : await loadConfig({ ...source, text });
