import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { operations } from "../../../src/contract/operations.ts";
import { pushRow } from "../../../src/contract/pushes.ts";
import { startAdapter } from "../../support/adapter/adapter.ts";

/** What Node has made of the bytes that came: it does all of it before anything else gets its turn. */
const made = { requests: 0, chunks: 0 };
/** Where Node's parser has the function that it calls for each chunk. */
const onChunk = 3;
const counted = new WeakSet<object>();
const count = (message: unknown) => {
  made.requests++;
  const { socket } = message as { socket: Socket & { parser: Record<number, (...given: unknown[]) => unknown> } };
  const { parser } = socket;
  const pass = parser[onChunk];
  if (counted.has(parser) || pass === undefined) return;
  counted.add(parser);
  parser[onChunk] = function countChunk(this: unknown, ...given) {
    made.chunks++;
    return pass.apply(this, given);
  };
};
const channel = "http.server.request.start";
beforeEach(() => void Object.assign(made, { requests: 0, chunks: 0 }));

let port = 0;
beforeAll(async () => {
  const adapter = await startAdapter({ onFinished: () => {} });
  port = Number(new URL(adapter.url).port);
  subscribe(channel, count);
  return adapter.close;
});
afterAll(() => void unsubscribe(channel, count));

/** Sends it all at once, and waits until the connection is closed. */
function refused(text: string): Promise<unknown> {
  const socket = connect(port, "127.0.0.1").resume();
  // The connection may be closed before everything was sent.
  socket.on("error", () => {});
  socket.write(text);
  return new Promise((resolve) => socket.once("close", resolve));
}

const head = (method: string, path: string, more = "") =>
  `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${more}\r\n`;
const chunked = (method: string, path: string) => head(method, path, "Transfer-Encoding: chunked\r\n");

test.each([
  ["of an event", "POST", operations.attachWorkOrder.path],
  ["of a push without a key", "POST", pushRow("stock").path],
  ["of a route that takes none", "GET", operations.getStatus.path],
  ["of an unknown route", "POST", "/nothing"],
])(
  "a body %s in chunks of a byte is not read to its end, and its connection is closed",
  async (_what, method, path) => {
    await refused(chunked(method, path) + "1\r\nx\r\n".repeat(10_000));
    expect(made.chunks).toBe(1_001);
  },
);

test("of a thousand requests that are sent ahead, some hundreds are read, and the connection is closed", async () => {
  await refused(head("GET", operations.getStatus.path).repeat(1_000));
  expect(made.requests).toBe(258);
});

/** Sends it all at once, and waits for the answer. */
async function answered(text: string, expected: RegExp): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  let heard = "";
  socket.on("data", (chunk) => {
    heard += String(chunk);
  });
  socket.write(text);
  await vi.waitFor(() => expect(heard).toMatch(expected), { timeout: 30_000 });
  socket.destroy();
}

test("a body in many short chunks is taken, also on the parser of a connection that was closed", async () => {
  const body = JSON.stringify({ workOrderNumber: "N-1", containerCode: "C", note: "x".repeat(40_000) });
  const chunks = (body.match(/.{1,20}/g) ?? []).map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join("");
  const whole = `${chunked("POST", operations.attachWorkOrder.path)}${chunks}0\r\n\r\n`;
  for (let round = 0; round < 3; round++) {
    await refused(head("GET", operations.getStatus.path).repeat(1_000));
    await answered(whole, /Order N-1 is not known/);
  }
});
