export { ConfigError } from "./config-error.ts";
export type { Config } from "./config-schema.ts";
export { type LoadedConfig, loadConfig } from "./load-config.ts";
export type { Settings } from "./settings.ts";
export { type RunningAdapter, type StartOptions, start } from "./start.ts";
