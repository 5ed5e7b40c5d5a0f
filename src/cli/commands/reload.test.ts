// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is what the settings themselves look like
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { spawnAdapter } from "../../../test/support/adapter/child-adapter.ts";
import { moduleFile } from "../../../test/support/connectors/module-file.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { createClient } from "../../contract/derive/client.ts";

test("SIGHUP switches the running program to its new configuration, and an invalid one changes nothing", async () => {
  const folder = temporaryFolder();
  moduleFile(folder, "getItem: async ({ number }) => ok({ number, name }),");
  const write = (label: string, more = "") =>
    writeFileSync(
      join(folder, "crossdock.yaml"),
      `connectors: { erp: { type: module, path: mine.ts, options: { name: "${label} \${SECRET}" } } }
serve: { items: erp }
indexableValueLabel: ${label}
${more}`,
    );
  write("One");
  const adapter = await spawnAdapter(folder, { SECRET: "hunter2secret" });
  const client = createClient({ baseUrl: adapter.url });
  const seen = async () => [
    (await client.getIndexableValueLabel()).data,
    (await client.getItem({ number: "1" })).data?.["name"],
  ];
  expect(await seen()).toEqual([{ label: "One" }, "One hunter2secret"]);

  write("Two");
  adapter.signal("SIGHUP");
  await expect.poll(adapter.output).toContain("the new configuration is in effect");
  expect(await seen()).toEqual([{ label: "Two" }, "Two hunter2secret"]);

  write("Three", "budgets: { scanMs: '${SECRET}', listMs: fast }\nlogLevel: loud");
  adapter.signal("SIGHUP");
  await expect.poll(adapter.output).toContain("refused as a whole");
  expect(adapter.output()).toMatch(/crossdock.yaml:4:\d+: budgets.listMs/);
  expect(adapter.output()).toMatch(/crossdock.yaml:5:\d+: logLevel/);
  expect(await seen()).toEqual([{ label: "Two" }, "Two hunter2secret"]);

  write("Four", "basePath: /x");
  adapter.signal("SIGHUP");
  await expect.poll(adapter.output).toContain("need a restart");
  expect(adapter.output()).toContain('"settings":["basePath"]');
  expect(await seen()).toEqual([{ label: "Four" }, "Four hunter2secret"]);

  expect(await adapter.end("SIGTERM")).toBe(0);
  expect(adapter.output()).not.toContain("hunter2secret");
});
