import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { apiKey, startAdapter } from "../../../../test/support/adapter/adapter.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { Summary } from "../../../tools/simulator/reports/summary.ts";
import { main } from "../../main.ts";

async function run(argv: readonly string[], cwd = temporaryFolder(), env: Record<string, string> = {}) {
  const [printed, complained]: string[][] = [[], []];
  const code = await main(["simulate", ...argv], {
    print: (text) => void printed?.push(text),
    complain: (text) => void complained?.push(text),
    isInteractive: false,
    colour: false,
    env,
    cwd,
    untilStopped: () => new Promise(() => {}),
  });
  return { code, printed: printed?.join("\n") ?? "", complained: complained?.join("\n") ?? "", cwd };
}

test("a shift without differences ends with code 0 and writes its reports to the given files", async () => {
  const { url } = await startAdapter();
  const wishes = ["--orders", "10", "--speed", "max", "--seed", "3", "--api-key", apiKey, "--quiet"];
  const { code, printed, cwd } = await run([url, ...wishes, "--json", "shift.json", "--html", "shift.html"]);
  expect(code).toBe(0);
  expect(printed).toContain("Result: no differences");
  const summary = JSON.parse(readFileSync(join(cwd, "shift.json"), "utf8")) as Summary;
  expect(summary).toMatchObject({ ok: true, seed: 3, orders: { worked: 13, reported: 13 } });
  expect(readFileSync(join(cwd, "shift.html"), "utf8")).toContain("No differences");
});

test("the key may be in the file that the environment names", async () => {
  const { url } = await startAdapter();
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "the-key"), `${apiKey}\n`);
  const wishes = ["--orders", "2", "--speed", "max", "--seed", "3", "--quiet"];
  expect(await run([url, ...wishes], cwd, { CROSSDOCK_API_KEY_FILE: "the-key" })).toMatchObject({ code: 0 });
});

test("a simulation without orders proves nothing, and reports that", async () => {
  const { url } = await startAdapter();
  const { code, printed } = await run([url, "--speed", "max", "--quiet"]);
  expect(code).toBe(1);
  expect(printed).toContain("the adapter offers no orders");
});

test.each([
  [["http://example.com"], "add --remote"],
  [["8080"], "write it like http://127.0.0.1:8080"],
  [["http://127.0.0.1:1", "--orders", "5"], "--api-key"],
  [["http://127.0.0.1:1", "--operators", "0"], "from 1 to 1000"],
  [["http://127.0.0.1:1", "--speed", "fast"], "write max"],
  [["http://127.0.0.1:1", "--faults", "erp-down=5%"], "--erp-control"],
  [["http://127.0.0.1:1", "--faults", "mid-pick-cancel=5%"], "--api-key"],
])("%j is refused with what to do next", async (argv, next) => {
  const { code, complained } = await run(argv);
  expect(code).toBe(1);
  expect(complained).toContain(next);
});
