import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { leastStall, workedMs } from "../../../../test/support/longest-stall.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { ConfigError } from "../../../config/document/config-error.ts";
import { type LoadedConfig, loadConfig } from "../../../config/load-config.ts";
import { systemTimers } from "../../../kit/time/timers.ts";
import { reloadInThread } from "./reload-in-thread.ts";

/** A folder with a configuration of many export columns. */
function configured(columnCount: number, more = "") {
  const cwd = temporaryFolder();
  const columns = Array.from(
    { length: columnCount },
    (_, index) => `  - { key: k${index}, header: H${index}, value: externalData.a }`,
  );
  const text = `exportColumns:\n${columns.join("\n")}\n${more}`;
  writeFileSync(join(cwd, "crossdock.yaml"), text);
  return { env: { CROSSDOCK_DATA_DIR: cwd }, cwd };
}

test("a long configuration is read again by another thread, with the same result, and holds up nobody", async () => {
  const source = configured(1_000);
  const startedMs = workedMs();
  const here = await loadConfig(source);
  const below = (workedMs() - startedMs) / 4;
  const taken: LoadedConfig["config"][] = [];
  const reload = async ({ config }: LoadedConfig) => void taken.push(config);
  const stallMs = await leastStall(() => reloadInThread({ source, timers: systemTimers, reload }), { below, most: 4 });
  expect(taken[0]).toEqual(here.config);
  expect(stallMs).toBeLessThan(below);
});

test("what is wrong is said with its place in the file, also if it shows only when it is put into effect", async () => {
  const failing = (source: ReturnType<typeof configured>, reload: (loaded: LoadedConfig) => Promise<unknown>) =>
    reloadInThread({ source, timers: systemTimers, reload });
  const wrong = failing(configured(1, "logLevel: loud\n"), async () => {});
  await expect(wrong).rejects.toThrow(/^crossdock.yaml:3:\d+: logLevel/);
  const refused = failing(configured(1), async ({ describe }) => {
    throw new ConfigError(describe([{ path: ["exportColumns", 0, "key"], text: "is taken" }]));
  });
  await expect(refused).rejects.toThrow(/^crossdock.yaml:2:\d+: exportColumns\[0\].key: is taken/);
});
