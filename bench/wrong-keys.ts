import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { pushRow } from "../src/contract/pushes.ts";

/** Ten thousand wrong keys in a minute, from the address of a good client: what both are answered, and how fast. */

const guesses = 10_000;
const withinMs = 60_000;
const apiKey = "bench-key-0123456789";
const body = '{"itemNumber":"A-1","amount":3}';

const folder = mkdtempSync(join(tmpdir(), "crossdock-wrong-keys-"));
const program = resolve(import.meta.dirname, "../bin/crossdock.js");
const env = { ...process.env, PORT: "0", CROSSDOCK_SAMPLE: "false", CROSSDOCK_API_KEY: apiKey };
const child = spawn(process.execPath, [program, "start"], { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
const url = await new Promise<string>((found) => {
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk;
    const address = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0];
    if (address !== undefined) found(address);
  });
});

const agent = new Agent({ keepAlive: true });
const post = (key: string) =>
  new Promise<{ status: number; ms: number }>((done, failed) => {
    const begun = performance.now();
    const headers = { "content-type": "application/json", "content-length": body.length, "x-api-key": key };
    const sent = request(url + pushRow("stock").path, { agent, method: "POST", headers }, (answer) => {
      answer.resume();
      answer.on("end", () => done({ status: answer.statusCode ?? 0, ms: performance.now() - begun }));
    });
    sent.on("error", failed);
    sent.end(body);
  });

const startedAt = performance.now();
const statuses = new Map<number, number>();
const times: number[] = [];
const pending: Promise<void>[] = [];
for (let sent = 0; sent < guesses; sent++) {
  const dueMs = (sent / guesses) * withinMs - (performance.now() - startedAt);
  if (dueMs > 2) await wait(dueMs);
  pending.push(post(`guess-${sent}`).then(({ status }) => void statuses.set(status, (statuses.get(status) ?? 0) + 1)));
  if (sent % 5 === 0) {
    pending.push(
      post(apiKey).then(({ status, ms }) => {
        if (status !== 202) throw new Error(`the good client was answered ${status}`);
        times.push(ms);
      }),
    );
  }
}
await Promise.all(pending);
times.sort((a, b) => a - b);
const at = (share: number) => (times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0).toFixed(1);
const waiting = (100 * (statuses.get(429) ?? 0)) / guesses;
console.log(
  `${guesses} wrong keys in ${((performance.now() - startedAt) / 1000).toFixed(0)} s: ${waiting.toFixed(2)} % answered 429`,
);
console.log(
  `the good client, ${times.length} pushes, all 202: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`,
);
agent.destroy();
child.kill("SIGTERM");
await once(child, "exit");
rmSync(folder, { recursive: true, force: true });
if (waiting < 99 || Number(at(0.99)) > 100) process.exitCode = 1;
