import { start } from "../../src/app/start.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { shelf } from "./shelf-connector.ts";

const { config, settings } = await loadConfig({ env: process.env, cwd: process.cwd() });
const apiKey = settings.apiKey ?? "choose-a-key";
const adapter = await start({ config, settings: { ...settings, apiKey }, connector: shelf });
console.log(`Crossdock serves Shelf at ${adapter.url}`);
process.once("SIGTERM", () => void adapter.close());
