import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { apiKey } from "../../../test/support/adapter/adapter.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { loadConfig } from "../../config/load-config.ts";
import { systemClock } from "../../kit/time/clock.ts";
import type { FloorState } from "../../server/workshop/floor-control.ts";
import { start } from "../start.ts";
import { openFloorControl } from "./open-floor-control.ts";

const program = resolve(import.meta.dirname, "../../../bin/crossdock.js");

async function adapter({ production = false } = {}) {
  const folder = temporaryFolder();
  const env = { CROSSDOCK_DATA_DIR: folder, PORT: "0", CROSSDOCK_SAMPLE: "false" };
  const loaded = await loadConfig({ env, cwd: folder, text: `console: { production: ${production} }` });
  const running = await start({ ...loaded, settings: { ...loaded.settings, apiKey }, program });
  onTestFinished(running.close);
  const call = async (method: "GET" | "POST", path: string, body?: object) => {
    const answer = await fetch(`${running.url}/admin/floor${path}`, {
      method,
      headers: { "x-api-key": apiKey, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify({ operator: "kim", ...body }) }),
    });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  const state = async () => JSON.parse((await call("GET", "")).text) as FloorState;
  return { call, state };
}

test("a simulated floor works on this adapter, and its report is there in the end", async () => {
  const { call, state } = await adapter();
  const started = await call("POST", "/simulate", { orders: 3, speed: 10_000, seed: 7 });
  expect(JSON.parse(started.text)).toMatchObject({ kind: "simulate", state: "running", startedBy: "kim" });
  expect((await call("POST", "/simulate", {})).status).toBe(409);
  await expect.poll(async () => (await state()).run?.state, { timeout: 120_000 }).toBe("passed");
  expect((await state()).run?.report).toMatchObject({ ok: true });
  const page = await call("GET", "/report");
  expect(page.headers.get("content-disposition")).toContain("attachment");
  expect(page.text).toContain("<html");
});

test("a run can be stopped", async () => {
  const { call, state } = await adapter();
  await call("POST", "/simulate", { orders: 50, speed: 1 });
  expect((await call("POST", "/stop", {})).status).toBe(200);
  await expect.poll(async () => (await state()).run?.state).toBe("stopped");
  expect((await call("POST", "/stop", {})).status).toBe(409);
});

test("a stopped run that does not end has ended when the next one works on the adapter", async () => {
  const deaf = join(temporaryFolder(), "deaf.mjs");
  writeFileSync(deaf, 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log(process.pid);');
  const control = openFloorControl({
    ...{ program: deaf, url: () => "http://127.0.0.1:9", apiKey, isProduction: () => false, clock: systemClock },
  });
  onTestFinished(control.close);
  const request = { orders: 1, operators: 1, speed: 1, minutes: null, faultPercent: 0, changePercent: 0, seed: null };
  const pid = () => Number(control.state().run?.output[0] ?? 0);
  control.simulate(request, "kim");
  await expect.poll(pid).toBeGreaterThan(0);
  const first = pid();
  expect(control.stop()).toBe(true);
  expect(control.simulate(request, "kim")).toMatchObject({ state: "running" });
  await expect.poll(() => isRunning(first)).toBe(false);
  await expect.poll(pid).toBeGreaterThan(0);
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test("on a productive adapter nothing starts that works on its orders", async () => {
  const { call, state } = await adapter({ production: true });
  expect((await call("POST", "/simulate", {})).status).toBe(409);
  expect((await call("POST", "/conform", { full: true })).status).toBe(409);
  expect(await state()).toEqual({ isProduction: true, run: null });
});

test("wishes outside the limits are refused, each by its name", async () => {
  const { call } = await adapter();
  const { status, text } = await call("POST", "/simulate", { orders: 1e9, operators: 0, speed: "fast" });
  expect(status).toBe(400);
  expect(Object.keys(JSON.parse(text).errors)).toEqual(["orders", "operators", "speed"]);
});
