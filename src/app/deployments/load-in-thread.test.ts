import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { leastStall, workedMs } from "../../../test/support/longest-stall.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { ConfigError } from "../../config/document/config-error.ts";
import { systemTimers } from "../../kit/time/timers.ts";
import { loadDeployment, loadDeployments } from "./load-deployments.ts";
import { loadInThread, loadOneInThread } from "./load-in-thread.ts";

/** A folder with so many deployments, each with some export columns. */
function deployments(count: number, more = "") {
  const cwd = temporaryFolder();
  const columns = Array.from(
    { length: 40 },
    (_, index) => `  - { key: k${index}, header: H${index}, value: externalData.a }`,
  );
  mkdirSync(join(cwd, "sites"));
  for (let nth = 0; nth < count; nth++) {
    writeFileSync(join(cwd, "sites", `d${nth}.yaml`), `exportColumns:\n${columns.join("\n")}\n${more}`);
  }
  return { source: join(cwd, "crossdock.yaml"), folder: "sites", dataFolder: join(cwd, "data"), env: {}, cwd };
}

test("many deployments are read again by another thread, with the same result, and hold up nobody", async () => {
  const needs = deployments(30);
  const startedMs = workedMs();
  const here = await loadDeployments(needs);
  const below = (workedMs() - startedMs) / 4;
  const plain = (all: typeof here) => all.map(({ loaded, ...rest }) => ({ ...rest, config: loaded.config }));
  const read = () => loadInThread(needs, systemTimers, async (found) => plain([...found.deployments]));
  expect(await read()).toEqual(plain(here));
  expect(await leastStall(read, { below, most: 4 })).toBeLessThan(below);
});

test("what is wrong is said with its place in the file, also if it shows only when it is put into effect", async () => {
  const reading = loadInThread(deployments(2, "logLevel: loud\n"), systemTimers, async () => {});
  await expect(reading).rejects.toThrow(/d0\.yaml:42:\d+: logLevel.*d1\.yaml:42:\d+: logLevel/s);
  const refused = await loadInThread(deployments(1), systemTimers, async ({ deployments: [one], withPlaces }) => {
    const problems = one?.loaded.describe([{ path: ["exportColumns", 0, "key"], text: "is taken" }]) ?? [];
    return await withPlaces("d0", new ConfigError(problems));
  });
  expect(String(refused)).toMatch(/d0\.yaml:2:\d+: exportColumns\[0\].key: is taken/);
});

test("one deployment with a long file is read by another thread, with the same result, and holds up nobody", async () => {
  const { cwd, dataFolder, env } = deployments(0);
  const file = join(cwd, "sites", "long.yaml");
  const columns = Array.from(
    { length: 2_000 },
    (_, index) => `  - { key: k${index}, header: H, value: externalData.a }`,
  );
  writeFileSync(file, `exportColumns:\n${columns.join("\n")}\n`);
  const one = { name: "long", file, dataFolder, env };
  const startedMs = workedMs();
  const here = await loadDeployment(one);
  const below = (workedMs() - startedMs) / 4;
  const read = () => loadOneInThread(one, systemTimers, async ({ deployments: [found] }) => found);
  const there = await read();
  expect(there?.loaded.config).toEqual(here.loaded.config);
  expect(there?.fingerprint).toBe(here.fingerprint);
  expect(await leastStall(read, { below, most: 4 })).toBeLessThan(below);
});
