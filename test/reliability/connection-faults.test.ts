import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer as createHttpServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { operations } from "../../src/contract/operations.ts";
import { pushes } from "../../src/contract/pushes.ts";
import { bodyBudget } from "../../src/server/connection/body-budget.ts";
import { answerInOrder, connectionCaps, linger } from "../../src/server/connection/connection-caps.ts";
import { apiKey, startAdapter } from "../support/adapter/adapter.ts";

const mebi = 2 ** 20;

async function listening(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** However it ends: a reset is an end as well. */
const closing = (socket: Socket) => new Promise<void>((resolve) => socket.once("close", () => resolve()));

/** As a client of .NET: all of the body is sent before anything is read. */
async function sentWhole(url: string, path: string, megabytes: number, headers = ""): Promise<string> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.pause();
  const { promise: failed, reject } = Promise.withResolvers<never>();
  failed.catch(() => {});
  socket.on("error", reject);
  const write = (bytes: string | Uint8Array) =>
    Promise.race([new Promise<void>((resolve) => socket.write(bytes, () => resolve())), failed]);
  const length = megabytes * mebi;
  await write(
    `POST ${path} HTTP/1.1\r\nHost: ${hostname}\r\n${headers}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`,
  );
  for (let sent = 0; sent < length; sent += mebi) await write(new Uint8Array(mebi).fill(0x20));
  let answer = "";
  socket.on("data", (chunk) => {
    answer += String(chunk);
  });
  socket.resume();
  while (!/\r\n\r\n.*\}/s.test(answer)) await Promise.race([pause(1), failed]);
  socket.destroy();
  return answer;
}

test("a client that sends all of its body before it reads gets to read the 413, on every route", async () => {
  const { url } = await startAdapter({ config: { bodyLimitMiB: 1 } });
  const key = `X-Api-Key: ${apiKey}\r\n`;
  for (const [path, headers] of [
    [operations.attachWorkOrder.path, ""],
    [operations.getExportValues.path, ""],
    [pushes.stock.path, key],
  ] as const) {
    expect(await sentWhole(url, path, 24, headers)).toMatch(/^HTTP\/1.1 413 .*The body is larger than 1 MiB/s);
  }
});

test("headers that do not come are given up within the ten seconds of the documentation", async () => {
  const { createServer } = await import("../../src/server/server.ts");
  const { within10s } = await import("../../src/server/create-listener.ts");
  const { silentLog } = await import("../../src/kit/log.ts");
  const app = createServer({ basePath: "", bodyLimitBytes: mebi, log: silentLog, newReference: () => "" });
  expect(app.server.headersTimeout).toBe(within10s.headersTimeout);
  // It is looked at only so often: the one that came right behind a look waits for the next but one. On a busy machine
  // the look and the answer come later.
  expect(within10s.headersTimeout + within10s.connectionsCheckingInterval).toBeLessThanOrEqual(9_500);
  await app.close();
});

const connectMany = `
  const { connect } = require("node:net");
  let connected = 0;
  const end = () => { process.stdout.write(String(connected)); process.exit(); };
  for (let nth = 0; nth < 1000; nth++)
    connect(Number(process.argv[1]), "127.0.0.1").on("error", end).on("connect", () => ++connected === 1000 && end());
  setTimeout(end, 5000);
`;

test("a thousand connections are made at once, also while the adapter is busy", async () => {
  const { url } = await startAdapter();
  // Blocks this thread, so that none of them is accepted meanwhile.
  const { stdout } = spawnSync(process.execPath, ["-e", connectMany, new URL(url).port]);
  const mostOfSystem = Number(readFileSync("/proc/sys/net/core/somaxconn", "utf8"));
  expect(Number(stdout)).toBe(Math.min(1000, mostOfSystem + 1));
});

test("an answer given early is not followed by an endless body", async () => {
  const server = createHttpServer((request, response) => {
    linger(request, response, { maxMs: 60_000, maxBytes: 4 * mebi });
    response.end("no");
  });
  const socket = connect(await listening(server), "127.0.0.1");
  socket.on("error", () => {});
  socket.write("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
  const chunk = Buffer.concat([Buffer.from("10000\r\n"), new Uint8Array(65_536), Buffer.from("\r\n")]);
  const closed = closing(socket);
  socket.resume();
  while (!socket.destroyed) {
    socket.write(chunk);
    await nextTurn();
  }
  await closed;
});

const opened = async (port: number): Promise<Socket> => {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
};

test("an address with too many connections loses the one that it did not use for longest", async () => {
  const server = createHttpServer((_request, response) => response.end("yes"));
  answerInOrder(server, connectionCaps(server, { mostPerAddress: 3, mostInAll: 100 }));
  const port = await listening(server);
  const asked = async (socket: Socket) => {
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    await once(socket, "data");
  };
  const [first, second, third] = [await opened(port), await opened(port), await opened(port)];
  for (const socket of [first, second, third]) if (socket !== undefined) await asked(socket);
  if (first !== undefined) await asked(first);
  const secondClosed = second === undefined ? null : closing(second);
  const fourth = await opened(port);
  await asked(fourth);
  await secondClosed;
  for (const socket of [first, third, fourth]) if (socket !== undefined) await asked(socket);
});

test("whoever opens a thousand connections takes them from nobody but itself", async () => {
  const server = createHttpServer((_request, response) => response.end("yes"));
  connectionCaps(server, { mostPerAddress: 8, mostInAll: 10 });
  const port = await listening(server);
  const from = async (localAddress: string) => {
    const socket = connect({ port, host: "127.0.0.1", localAddress });
    socket.on("error", () => {});
    await once(socket, "connect");
    return socket;
  };
  const other = await from("127.0.0.2");
  for (let count = 0; count < 100; count++) await from("127.0.0.1");
  const third = await from("127.0.0.3");
  for (let count = 0; count < 20; count++) await from("127.0.0.1");
  for (const socket of [other, third]) {
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(String((await once(socket, "data"))[0])).toContain("yes");
  }
});

test("bodies that stall give their memory to the next one, and their connections are closed", async () => {
  const { createServer } = await import("../../src/server/server.ts");
  const { silentLog } = await import("../../src/kit/log.ts");
  let nowMs = 0;
  const bodies = bodyBudget({ maxBytes: 4 * mebi, now: () => nowMs });
  const app = createServer({
    ...{ basePath: "", bodyLimitBytes: 3 * mebi, bodies, log: silentLog, newReference: () => "" },
  });
  app.post("/take", async (request) => ({ bytes: (request.body as Uint8Array).length }));
  onTestFinished(() => app.close());
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  const port = Number(new URL(url).port);
  const head = (bytes: number) =>
    `POST /take HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`;
  const stalled = await Promise.all([opened(port), opened(port)]);
  for (const socket of stalled) {
    socket.write(head(2 * mebi));
    socket.write(new Uint8Array(2 * mebi - 1));
  }
  while (bodies.heldBytes() < 3.8 * mebi) await pause(1);
  const post = (bytes: number) =>
    fetch(`${url}/take`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: new Uint8Array(bytes),
    });
  const refused = await post(2 * mebi);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
  expect((await post(1_000)).status).toBe(200);
  nowMs += 10_000;
  const closed = Promise.race(stalled.map((socket) => closing(socket)));
  expect(await (await post(2 * mebi)).json()).toEqual({ bytes: 2 * mebi });
  await closed;
  for (const socket of stalled) socket.destroy();
  while (bodies.heldBytes() > 0) await pause(1);
});
