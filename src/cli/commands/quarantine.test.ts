import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { apiKey, startAdapter } from "../../../test/support/adapter/adapter.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { openIntakeFile } from "../../engine/quarantine/open-quarantine.ts";
import { silentLog } from "../../kit/log.ts";
import { systemClock } from "../../kit/time/clock.ts";
import { systemTimers } from "../../kit/time/timers.ts";
import type { Terminal } from "../command.ts";
import { main } from "../main.ts";

/** A real adapter, running or stopped, whose data folder has two records in quarantine. */
async function setUp({ isRunning = true } = {}) {
  const folder = temporaryFolder();
  const dataFolder = join(folder, "data");
  mkdirSync(dataFolder);
  const file = openIntakeFile({ dataFolder, clock: systemClock, timers: systemTimers, log: silentLog });
  const bad = {
    source: "erp",
    kind: "workOrders",
    origin: "orders.csv",
    raw: { number: "4711", due: "\u001b[2J" },
  } as const;
  file.quarantine.keep({
    ...{ ...bad, number: "4711", sourceOf: () => "DUE" },
    problems: [
      { field: "dueDate", expected: "present" },
      { field: "requests", expected: "filled-list" },
    ],
  });
  file.quarantine.keep({ ...bad, number: "4712", problems: [{ field: "dueDate", expected: "present" }] });
  file.close();
  if (isRunning) await startAdapter({ folder });
  return async (argv: readonly string[], isInteractive = false) => {
    const out: string[] = [];
    const errors: string[] = [];
    const terminal = {
      print: (text: string) => out.push(text),
      complain: (text: string) => errors.push(text),
      ...{ isInteractive, colour: false, cwd: folder, env: { CROSSDOCK_API_KEY: apiKey } },
      untilStopped: () => Promise.resolve("SIGTERM"),
      // These commands use neither reload nor prompts.
    } as unknown as Terminal;
    const code = await main(["quarantine", ...argv], terminal);
    return { code, out: out.join("\n"), errors: errors.join("\n") };
  };
}

test("quarantined records are listed, shown with their source field and what to do, and dropped with a reason", async () => {
  const run = await setUp();
  const listed = await run(["list"], true);
  expect(listed.out).toMatch(/Id +Last seen +From +Kind +Number +Times +What is wrong\n +2 .* 4712 .*dueDate/);
  expect(listed.out).toMatch(/4711 +1 +dueDate.*\(and 1 more\)/);
  expect((await run(["list", "--number", "4712"])).out.split("\t").slice(2, 6)).toEqual([
    "erp",
    "workOrders",
    "4712",
    "1",
  ]);
  expect(JSON.parse((await run(["list", "--json", "--limit", "1"])).out)).toMatchObject({ total: 2, nextBefore: 2 });

  const shown = await run(["show", "1"]);
  expect(shown.out).toMatch(/From +erp, orders.csv/);
  expect(shown.out).toMatch(/What to do +Fill DUE/);
  expect(shown.out).toMatch(/dueDate: .*\(source field: DUE\)/);
  expect(shown.out).toContain('"number": "4711"');
  expect(shown.out).not.toContain("\u001b");

  expect(await run(["drop", "1"])).toMatchObject({ code: 1, errors: expect.stringContaining("drop needs a reason") });
  expect(await run(["drop", "1", "--reason", "test", "--as", "kim"])).toMatchObject({
    code: 0,
    out: "Dropped: workOrders 4711.",
  });
  expect(await run(["show", "1"])).toMatchObject({
    code: 1,
    errors: expect.stringContaining("crossdock quarantine list"),
  });
  await run(["drop", "2", "--reason", "test", "--as", "kim"]);
  expect(await run(["list"])).toMatchObject({ code: 0, out: "", errors: "No records are in quarantine." });
});

test("an unknown kind is refused with a list of the known ones", async () => {
  const run = await setUp();
  expect(await run(["list", "--kind", "orders"])).toMatchObject({
    code: 2,
    errors: expect.stringContaining("workOrders"),
  });
});

test("the same commands work on the file of an adapter that is not running", async () => {
  const run = await setUp({ isRunning: false });
  const listed = await run(["list", "--kind", "workOrders", "--limit", "1"]);
  expect(listed).toMatchObject({ code: 0, out: expect.stringContaining("4712") });
  expect(listed.errors).toMatch(/No adapter is running on .*data; .*\n2 in all; continue with --before 2/);
  expect((await run(["list", "--before", "2"])).out).toContain("4711");
  expect((await run(["show", "1"])).out).toContain("(source field: DUE)");
  expect((await run(["drop", "1", "--reason", "test order"])).out).toBe("Dropped: workOrders 4711.");
  expect(await run(["show", "1"])).toMatchObject({ code: 1, errors: expect.stringContaining('no record "1"') });
  expect((await run(["list"])).out).not.toContain("4711");
});
