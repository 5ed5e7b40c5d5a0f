export type { Config } from "../config/config-schema.ts";
export { ConfigError } from "../config/document/config-error.ts";
export { type LoadedConfig, loadConfig } from "../config/load-config.ts";
export type { Settings } from "../config/settings.ts";
export { type RunningAdapter, type StartOptions, start } from "./start.ts";
