import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { start } from "../src/app/start.ts";
import { loadConfig } from "../src/config/load-config.ts";
import { systemTimers } from "../src/kit/time/timers.ts";
import { htmlReport as conformPage } from "../src/tools/conformance/reports/html-report.ts";
import { runConformance } from "../src/tools/conformance/run-conformance.ts";
import { noFaults, readFaultRates } from "../src/tools/simulator/calls/fault-rates.ts";
import { htmlReport as shiftPage } from "../src/tools/simulator/reports/shift-html-report.ts";
import { summaryOf } from "../src/tools/simulator/reports/summary.ts";
import { simulate } from "../src/tools/simulator/simulate.ts";
import type { FloorView } from "../src/tools/simulator/simulation.ts";
import { demoScreen } from "./demo/screen.ts";
import { openStage } from "./demo/stage.ts";
import { findChromium } from "./pictures/find-chromium.ts";
import { takePicture } from "./pictures/take-picture.ts";
import { terminalPage } from "./pictures/terminal-page.ts";

if (process.argv.slice(2).some((given) => given === "--help" || given === "-h")) {
  console.log(`npm run pictures

Makes the pictures in docs again, from runs of the current programs: the reports of conform and simulate, and the
screen of the demo. Needs Chromium, Chrome or Edge, found in the PATH or where it is usually installed, or named by
CHROMIUM=/path; and port 8080. It has no options.`);
  process.exit(0);
}

/** Makes the pictures of the documentation again, from runs of the current programs. */
const root = resolve(import.meta.dirname, "..");
const chromium = findChromium();
const apiKey = "picture-key";
const needs = { timers: systemTimers, now: () => performance.now(), today: () => new Date() };
const shift = {
  ...{ apiKey: null, seed: 1, orders: 0, operators: 4, speed: null, callsPerSecond: null, rates: noFaults },
  ...{ shiftMs: 8 * 3_600_000, hasKeys: false, storage: "Main", erpControlUrl: null, patienceMs: 10_000 },
};

async function save(name: string, html: string, size: { readonly width: number; readonly height: number }) {
  await takePicture({ chromium, html, file: join(root, "docs/pictures", name), ...size });
  console.log(`docs/pictures/${name}`);
}

async function ofCrossdock(folder: string): Promise<void> {
  const env = { PORT: "8080", CROSSDOCK_API_KEY: apiKey };
  const { config, settings, describe } = await loadConfig({ env, cwd: folder });
  const adapter = await start({ config, describe, settings: { ...settings, apiKey } });
  try {
    const report = await runConformance({ url: adapter.url, level: "full", apiKey });
    await save("conform-crossdock.png", conformPage(report), { width: 860, height: 1100 });
    const read = readFaultRates("all=1%");
    if ("problem" in read) throw new Error(read.problem);
    const wishes = { baseUrl: adapter.url, apiKey, orders: 1500, operators: 16, rates: read.rates };
    const summary = summaryOf(await simulate({ ...shift, ...wishes }, needs));
    await save("simulate-report.png", shiftPage(summary), { width: 900, height: 1180 });
  } finally {
    await adapter.close();
  }
}

async function ofPlainAdapter(): Promise<void> {
  const plain = spawn(process.execPath, [join(root, "examples/plain-adapter/adapter.mjs")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [output] = (await once(plain.stdout, "data")) as [Buffer];
    const url = /http:\/\/\S+/.exec(String(output))?.[0];
    if (url === undefined) throw new Error(`the plain adapter printed no address: ${output}`);
    const page = conformPage(await runConformance({ url, level: "full" }));
    await save("conform-plain-adapter.png", page, { width: 860, height: 1100 });
  } finally {
    plain.kill();
  }
}

/** Takes a picture of the demo screen in the middle of a shift, while the ERP is down. */
async function ofDemo(): Promise<void> {
  const stage = await openStage({ orders: 24 });
  const { erp, adapter } = stage;
  try {
    let taken: Promise<readonly string[]> | null = null;
    const drawn = async (floor: FloorView) =>
      demoScreen({ shift: 1, floor, erp, adapterUrl: adapter.url, waiting: await stage.waiting(), notes: [] });
    const onBegin = (floor: FloorView) => {
      const check = () => {
        const isWorthIt = floor.ordersDone > 8 && erp.faults.current.isDown;
        if (isWorthIt || floor.phase === "done") taken = drawn(floor);
        else setTimeout(check, 20);
      };
      check();
    };
    const rates = { ...noFaults, repeat: 0.01, abort: 0.01, "erp-down": 0.3 };
    const wishes = { baseUrl: adapter.url, speed: 400, rates, erpControlUrl: `${erp.url}/control` };
    await simulate({ ...shift, ...wishes }, { ...needs, onBegin });
    await save("demo-screen.png", terminalPage((await taken) ?? []), { width: 900, height: 470 });
  } finally {
    await stage.close();
  }
}

const folder = mkdtempSync(join(tmpdir(), "crossdock-pictures-"));
try {
  await ofCrossdock(folder);
  await ofPlainAdapter();
  await ofDemo();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
