import { Agent, request } from "node:http";
import { expect, test } from "vitest";
import { pushRow } from "../../src/contract/pushes.ts";
import { apiKey, startAdapter } from "../support/adapter/adapter.ts";

/** Somebody guesses keys as fast as they can, from the very address a good client sends from. */

const path = pushRow("stock").path;
const body = '{"itemNumber":"A-1","amount":3}';

function poster(url: string, maxSockets: number) {
  const agent = new Agent({ keepAlive: true, maxSockets });
  const post = (key: string) =>
    new Promise<{ status: number; retryAfter: string | undefined }>((resolve, reject) => {
      const headers = { "content-type": "application/json", "content-length": body.length, "x-api-key": key };
      const sent = request(url + path, { agent, method: "POST", headers }, (answer) => {
        answer.resume();
        const retryAfter = answer.headers["retry-after"];
        answer.on("end", () => resolve({ status: answer.statusCode ?? 0, retryAfter }));
      });
      sent.on("error", reject);
      sent.end(body);
    });
  return { post, close: () => agent.destroy() };
}

test("of many wrong keys 99 % are told to wait, and a good client beside them is served as ever", async () => {
  const { url } = await startAdapter();
  const [guesses, pushes] = [2_000, 20];
  const attacker = poster(url, 16);
  const client = poster(url, 1);
  const statuses = new Map<number, number>();
  let sent = 0;
  let isOver = false;
  const guess = async () => {
    // Until the client was served as well: how fast a disk takes its pushes is the machine's affair.
    while (sent < guesses || (pushed < pushes && sent < 20 * guesses)) {
      const { status, retryAfter } = await attacker.post(`guess-${sent++}`);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status === 429) expect(Number(retryAfter)).toBeGreaterThan(0);
    }
  };
  let pushed = 0;
  const push = async () => {
    while (!isOver) {
      expect((await client.post(apiKey)).status).toBe(202);
      pushed++;
    }
  };
  const pushing = push();
  await Promise.all(Array.from({ length: 16 }, guess));
  isOver = true;
  await pushing;
  attacker.close();
  client.close();
  expect((statuses.get(429) ?? 0) / sent).toBeGreaterThanOrEqual(0.99);
  expect([...statuses.keys()].sort()).toEqual([401, 429]);
  // How fast is measured by bench/wrong-keys.ts, with a process of its own for each.
  expect(pushed).toBeGreaterThanOrEqual(pushes);
});

test("another user name for each guess does not help: the address has to wait, and its real user does not", async () => {
  const users = [{ username: "erp", password: "erp-password-0123" }];
  const { url } = await startAdapter({ config: { senders: { office: { auth: { kind: "basic", users } } } } });
  const post = async (user: string, password: string) => {
    const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
    const headers = { "content-type": "application/json", authorization };
    const answer = await fetch(url + path, { method: "POST", body, headers });
    await answer.arrayBuffer();
    return answer.status;
  };
  const statuses: number[] = [];
  for (let guess = 0; guess < 100; guess++) statuses.push(await post(`user-${guess}`, "guessed-password"));
  expect(statuses).toEqual([...Array(5).fill(401), ...Array(95).fill(429)]);
  expect(await post("erp", "erp-password-0123")).toBe(202);
  // Its own wrong passwords it waits for, also where each comes between made-up names.
  for (let guess = 0; guess < 6; guess++) {
    expect(await post("erp", `guessed-password-${guess}`)).toBe(429);
    expect(await post(`more-${guess}`, "guessed-password")).toBe(429);
  }
  expect(await post("erp", "erp-password-0123")).toBe(429);
});
