import { mkdtempSync, rmSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { confirmStep, stepLines } from "../bench/data/confirm-step.ts";
import { order, orderNumber } from "../bench/data/orders.ts";
import { start } from "../src/app/start.ts";
import { loadConfig } from "../src/config/load-config.ts";
import { operations } from "../src/contract/operations.ts";

const { values } = parseArgs({
  options: { help: { type: "boolean", short: "h" }, list: { type: "boolean" }, json: { type: "boolean" } },
});
if (values.help) {
  console.log(`node scripts/files-touched.ts [--list | --json]

Starts the adapter with its embedded store in a temporary folder, warms it up, and counts by V8 coverage the files of
src with a function that ran in the main thread between one request and its answer.

  --list  prints the files too
  --json  prints the two numbers for another program`);
  process.exit(0);
}

const apiKey = "files-touched";
const orders = 40;
/** Several requests are measured, because a timer may fire during one of them, but not during all. */
const measured = 5;
const source = pathToFileURL(join(import.meta.dirname, "../src/")).href;

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

const folder = mkdtempSync(join(tmpdir(), "files-touched-"));
const env = { PORT: "0", CROSSDOCK_API_KEY: apiKey, CROSSDOCK_SAMPLE: "false", CROSSDOCK_DATA_DIR: folder };
const { config, settings } = await loadConfig({ env, cwd: folder });
const adapter = await start({ config, settings: { ...settings, apiKey } });
const session = new Session();
session.connect();
try {
  await send({
    method: "POST",
    path: "/inbound/work-orders",
    body: Array.from({ length: orders }, (_, i) => order(i, stepLines)),
  });
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  const { confirmStep: step, findWorkOrderByCode: scan } = operations;
  let steps = 0;
  const nextStep = (): Sent => {
    const index = steps++;
    return { ...step, body: confirmStep(index % orders, Math.floor(index / orders) % stepLines) };
  };
  let scans = 0;
  // Orders with an even number belong to this storage.
  const nextScan = (): Sent => ({
    ...scan,
    path: `${scan.path}?Code=${orderNumber((2 * scans++) % orders)}&StorageName=Main`,
  });
  const counts: Record<string, number> = {};
  for (const [key, name, next] of [
    ["step", "a confirmed step", nextStep],
    ["scan", "an embedded scan", nextScan],
  ] as const) {
    for (let warm = 0; warm < 100; warm++) await send(next());
    const files = await filesOf(next);
    counts[key] = files.length;
    if (values.json) continue;
    console.log(`${name}: ${files.length} files`);
    if (values.list) for (const file of files) console.log(`  ${file}`);
  }
  if (values.json) console.log(JSON.stringify(counts));
} finally {
  session.disconnect();
  await adapter.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Returns the files that ran in every one of several requests. */
async function filesOf(next: () => Sent): Promise<string[]> {
  let common: Set<string> | null = null;
  for (let turn = 0; turn < measured; turn++) {
    await session.post("Profiler.takePreciseCoverage");
    await send(next());
    const { result } = await session.post("Profiler.takePreciseCoverage");
    const ran = new Set(
      result
        .filter(({ url }) => url.startsWith(source))
        // The first function is the module itself, which ran when it was loaded.
        .filter(({ functions }) =>
          functions.some(({ functionName, ranges }) =>
            functionName !== "" || ranges[0]?.startOffset !== 0 ? (ranges[0]?.count ?? 0) > 0 : false,
          ),
        )
        .map(({ url }) => url.slice(source.length)),
    );
    common = common === null ? ran : common.intersection(ran);
  }
  return [...(common ?? [])].sort();
}

function send({ method, path, body }: Sent): Promise<void> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${apiKey}`,
    ...(text === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
  };
  return new Promise((resolve, reject) => {
    const sent = httpRequest(adapter.url + path, { method, headers }, (response) => {
      response.setEncoding("utf8");
      let answer = "";
      response.on("data", (chunk: string) => {
        answer += chunk;
      });
      response.on("end", () => {
        const isRight = response.statusCode === 202 || answer.includes('"isResultSuccess":true');
        if (isRight) resolve();
        else reject(new Error(`${method} ${path} was answered ${response.statusCode} ${answer.slice(0, 500)}`));
      });
    });
    sent.on("error", reject);
    sent.end(text);
  });
}
