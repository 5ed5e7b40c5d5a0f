import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { start } from "../../../src/app/start.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { apiKey } from "../../support/adapter/adapter.ts";
import { newFolder, removeFolder } from "../../support/temporary-folder.ts";

/** An adapter with a configuration file of its own, which the console may change. */
export async function adapterOf(text: string) {
  const folder = newFolder();
  const path = join(folder, "crossdock.yaml");
  writeFileSync(path, text);
  const env = { CROSSDOCK_DATA_DIR: join(folder, "data"), PORT: "0", CROSSDOCK_SAMPLE: "false" };
  const { config, settings } = await loadConfig({ env, cwd: folder });
  const running = await start({
    ...{ config, settings: { ...settings, apiKey }, configuration: { path, source: { env, cwd: folder } } },
  });
  return { url: running.url, path, close: () => running.close().then(() => removeFolder(folder)) };
}
