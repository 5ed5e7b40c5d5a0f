import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { pushRow } from "../src/contract/pushes.ts";

/**
 * Sends ten thousand wrong keys in a minute from the address of a valid client, and shows the answers to both and their
 * speed.
 */

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

/** A valid client pushes 33 times a second, with or without an attacker who guesses keys meanwhile. */
async function measure(guesses: number, overMs: number) {
  const startedAt = performance.now();
  const statuses = new Map<number, number>();
  const times: number[] = [];
  const pending: Promise<void>[] = [];
  const perGuess = guesses / Math.max(1, overMs);
  const pushes = overMs / 30;
  const everyMs = Math.min(30, perGuess === 0 ? 30 : 1 / perGuess);
  let guessed = 0;
  let pushed = 0;
  for (let dueMs = 0; dueMs <= overMs + everyMs; dueMs += everyMs) {
    const restMs = dueMs - (performance.now() - startedAt);
    if (restMs > 2) await wait(restMs);
    for (; guessed < Math.min(guesses, Math.ceil(dueMs * perGuess)); guessed++) {
      pending.push(
        post(`guess-${guessed}`).then(({ status }) => void statuses.set(status, (statuses.get(status) ?? 0) + 1)),
      );
    }
    for (; pushed < Math.min(pushes, dueMs / 30); pushed++) pending.push(post(apiKey).then(good));
  }
  await Promise.all(pending);
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  const waiting = (100 * (statuses.get(429) ?? 0)) / Math.max(1, guessed);
  const client = `a good client, ${times.length} pushes, all 202: p50 ${at(0.5).toFixed(1)} ms, p99 ${at(0.99).toFixed(1)} ms`;
  return {
    waiting,
    p99: at(0.99),
    text: guessed === 0 ? client : `${guessed} wrong keys, ${waiting.toFixed(2)} % answered 429; ${client}`,
  };

  function good({ status, ms }: { status: number; ms: number }): void {
    if (status !== 202) throw new Error(`the good client was answered ${status}`);
    times.push(ms);
  }
}

console.log(`in peace: ${(await measure(0, 15_000)).text}`);
const attacked = await measure(guesses, withinMs);
console.log(`attacked: ${attacked.text}`);
agent.destroy();
child.kill("SIGTERM");
await once(child, "exit");
rmSync(folder, { recursive: true, force: true });
if (attacked.waiting < 99 || attacked.p99 > 100) process.exitCode = 1;
