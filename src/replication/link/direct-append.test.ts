import { EventEmitter } from "node:events";
import type { Client } from "pg";
import { expect, test } from "vitest";
import { playStatement } from "../../../test/replication/play-statement.ts";
import { beginning, nextChange } from "../change.ts";
import { type DirectResult, directAppend } from "./direct-append.ts";

const change = nextChange(beginning, new Uint8Array([1]));
const settings = { url: "", name: "test", timeoutMs: 1_000, owner: { deployment: "north", epoch: 1, leaseMs: 1_000 } };

/** Connections that the test plays: each statement ends as it says. */
function played(answer: () => Promise<{ rowCount: number }>) {
  let opened = 0;
  let ended = 0;
  let passedMs = 0;
  const open = async () => {
    opened++;
    const client = new EventEmitter() as EventEmitter & Partial<Client>;
    const query = (statement: Parameters<typeof playStatement>[0]) => playStatement(statement, answer());
    // Only what is used here.
    return Object.assign(client, { query, end: async () => void ended++ }) as unknown as Client;
  };
  const direct = directAppend(settings, { open, now: () => passedMs });
  const append = async (): Promise<DirectResult | null> => await direct.append(change);
  /** The connection is opened beside what its caller does. */
  const turn = () => new Promise((next) => setImmediate(next));
  return { append, turn, close: direct.close, pass: (ms: number) => (passedMs += ms), counts: () => [opened, ended] };
}

test("a change goes directly as soon as there is a connection, and before that not at all", async () => {
  const { append, turn } = played(async () => ({ rowCount: 1 }));
  expect(await append()).toBe(null);
  await turn();
  expect(await append()).toBe("stored");
});

test("what PostgreSQL has refused is not stored; after any other error nobody knows, and the connection is replaced", async () => {
  let answer = async () => ({ rowCount: 0 });
  const { append, turn, counts } = played(() => answer());
  await turn();
  expect(await append()).toBe("not-stored");
  answer = () => Promise.reject(Object.assign(new Error("no space left"), { code: "53100" }));
  expect(await append()).toBe("not-stored");
  expect(await append()).toBe(null);
  await turn();
  answer = () => Promise.reject(new Error("the connection broke"));
  expect(await append()).toBe("unknown");
  expect(await append()).toBe(null);
  await turn();
  expect(counts()).toEqual([3, 2]);
});

test("a connection that was idle for long is not trusted, and replaced for the next change", async () => {
  const { append, turn, pass, counts } = played(async () => ({ rowCount: 1 }));
  await turn();
  pass(10_001);
  expect(await append()).toBe(null);
  await turn();
  expect([await append(), counts()]).toEqual(["stored", [2, 1]]);
});

test("a connection without an answer is given up after its time limit, and what was sent is unknown", async () => {
  const unanswered = Promise.withResolvers<never>();
  const open = async () =>
    // Only what is used here.
    Object.assign(new EventEmitter(), {
      query: (statement: Parameters<typeof playStatement>[0]) => playStatement(statement, unanswered.promise),
      end: async () => unanswered.reject(new Error("the connection ended")),
    }) as unknown as Client;
  const direct = directAppend({ ...settings, timeoutMs: 1 }, { open });
  await new Promise((next) => setImmediate(next));
  expect(await direct.append(change)).toBe("unknown");
  direct.close();
});

test("nothing is left open after the end, not even what was being opened", async () => {
  const { turn, close, counts } = played(async () => ({ rowCount: 1 }));
  close();
  await turn();
  expect(counts()).toEqual([1, 1]);
});
