import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import Fastify, { type FastifyInstance } from "fastify";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { slowBodyGuard } from "./connection-caps.ts";
import { noteBegin } from "./request-marks.ts";

const sweepMs = 5_000;
let app: FastifyInstance;
let sockets: Socket[] = [];

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  app = Fastify();
  // Every body that is not complete is too slow.
  const guard = slowBodyGuard(app, { maxMs: 0, sparedBytes: 100 });
  app.server.on("request", (request: IncomingMessage) => {
    noteBegin(request);
    guard(request);
  });
  app.post("/events", () => "stored");
  await app.listen({ host: "127.0.0.1", port: 0 });
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  vi.useRealTimers();
  await app.close();
});

/** Begins a request. Resolves when the server has begun to read it. */
async function begin(text: string, socket = open()): Promise<Socket> {
  const [[request]] = (await Promise.all([once(app.server, "request"), socket.write(text)])) as [
    [IncomingMessage, ServerResponse],
    boolean,
  ];
  // The whole first packet is read before the next turn.
  await new Promise((resolve) => setImmediate(resolve));
  expect(request.method).toBe("POST");
  return socket;
}
function open(): Socket {
  // The address of a server on a port has this type.
  const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
  sockets.push(socket.setNoDelay());
  socket.on("error", () => {});
  return socket;
}
const head = (length: number) =>
  `POST /events HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ncontent-length: ${length}\r\n\r\n`;

test("a small body that does not come ends its connection", async () => {
  const socket = await begin(`${head(10)}12345`);
  const closed = once(socket, "close");
  vi.advanceTimersByTime(sweepMs);
  await closed;
});

test("the second request of a connection is watched like the first", async () => {
  const socket = open();
  const answered = once(socket, "data");
  await begin(`${head(5)}12345`, socket);
  await answered;
  vi.advanceTimersByTime(sweepMs);
  await begin(`${head(10)}12345`, socket);
  const closed = once(socket, "close");
  vi.advanceTimersByTime(sweepMs);
  await closed;
});

test("a complete body, a large one and an idle connection stay", async () => {
  const [idle, large] = [open(), await begin(`${head(1_000)}12345`)];
  const answered = once(idle, "data");
  await begin(`${head(5)}12345`, idle);
  await answered;
  vi.advanceTimersByTime(3 * sweepMs);
  const rest = once(large, "data");
  large.write("x".repeat(995));
  await rest;
  const again = once(idle, "data");
  await begin(`${head(5)}12345`, idle);
  await again;
});

test("a connection is watched for each server whose requests it brings, also after another one was closed", async () => {
  const [closedLater, other] = [Fastify(), Fastify()];
  onTestFinished(() => other.close());
  const guards = [closedLater, other].map((one) => slowBodyGuard(one, { maxMs: 0, sparedBytes: 100 }));
  const [forOther = () => {}, forOwn = () => {}] = guards;
  app.server.removeAllListeners("request").on("request", (request: IncomingMessage, response: ServerResponse) => {
    noteBegin(request);
    (request.url === "/other" ? forOther : forOwn)(request);
    request.on("end", () => response.end("stored")).resume();
  });
  const socket = open();
  const answered = once(socket, "data");
  await begin(`${head(5).replace("/events", "/other")}12345`, socket);
  await answered;
  await closedLater.close();
  await begin(`${head(10)}12345`, socket);
  const closed = once(socket, "close");
  vi.advanceTimersByTime(sweepMs);
  await closed;
});
