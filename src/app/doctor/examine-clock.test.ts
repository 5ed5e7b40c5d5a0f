import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { freePort } from "../../../test/peers/free-port.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { loadConfig } from "../../config/load-config.ts";
import { examineClock } from "./examine-clock.ts";
import { runDoctor } from "./run-doctor.ts";

test.each([
  [4_900, "ok", "it agrees with PostgreSQL (4.9 s)"],
  [-5_000, "warning", "the clock of this machine is 5 s ahead of that of PostgreSQL"],
  [200_000, "error", "the clock of this machine is 3 min 20 s behind that of PostgreSQL"],
  [-90_000_000, "error", "the clock of this machine is 1 d 1 h ahead of that of PostgreSQL"],
])("a clock that is %i ms ahead is %s", (aheadMs, state, text) => {
  expect(examineClock([{ of: "PostgreSQL", aheadMs }])).toMatchObject([{ subject: "clock", state, text }]);
});

test("every clock that differs is named; without others nothing is said", () => {
  expect(examineClock([])).toEqual([]);
  const found = examineClock([
    { of: "PostgreSQL", aheadMs: 10 },
    { of: "erp", aheadMs: 7_200_000 },
  ]);
  expect(found.map(({ state }) => state)).toEqual(["ok", "error"]);
  expect(found[1]?.remedy).toContain("timedatectl");
});

/** An ERP whose answers have these headers. */
async function erpWith(headers: Record<string, string>) {
  const server = createServer((_, answer) => answer.writeHead(200, headers).end("{}")).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  // It listens on a port, not on a pipe.
  const { port } = server.address() as AddressInfo;
  const cwd = temporaryFolder();
  const options = { data: cwd, port: String(await freePort()) };
  const text = `connectors: { erp: { type: http, baseUrl: "http://127.0.0.1:${port}", checkPath: /, allowPrivate: true } }\n`;
  const load = () => loadConfig({ file: "crossdock.yaml", cwd, env: {}, options, text });
  const clocks = async (now: () => number) =>
    (await runDoctor({ load, now })).filter(({ subject }) => subject === "clock").slice(1);
  return { host: `127.0.0.1:${port}`, clocks };
}

test("the dates in the answers of external systems tell that the clock of this machine is wrong", async () => {
  const { host, clocks } = await erpWith({});
  expect(await clocks(Date.now)).toMatchObject([{ state: "ok", text: expect.stringContaining(host) }]);
  const wrong = await clocks(() => Date.now() - 3_600_000);
  expect(wrong).toMatchObject([
    { state: "error", text: expect.stringMatching(/(59 min|1 h) \d+ \w+ behind that of 127/) },
  ]);
});

test("an answer of a cache and an unreadable date say nothing", async () => {
  const old = new Date(Date.now() - 600_000).toUTCString();
  expect(await (await erpWith({ date: old, age: "600" })).clocks(Date.now)).toEqual([]);
  expect(await (await erpWith({ date: "yesterday" })).clocks(Date.now)).toEqual([]);
});
