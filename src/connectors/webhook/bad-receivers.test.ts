import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { deliveryContext } from "../../../test/support/connectors/delivery.ts";
import { type Receiver, rawReceiver, receiver } from "../../../test/support/receivers/receiver.ts";
import type { Resolve } from "../../http-client/network/address-guard.ts";
import { silentLog } from "../../kit/log.ts";
import { manualClock } from "../../kit/time/clock.ts";
import { Fault } from "../../operation/fault.ts";
import { ok } from "../../operation/outcome.ts";
import { openWebhook } from "./connector.ts";

const timeouts = { connectMs: 800, headersMs: 1_200, totalMs: 2_000 };
const clock = manualClock();

function open(url: string, resolve: Resolve = async () => [{ address: "127.0.0.1", family: 4 }]) {
  const connector = openWebhook({ url, timeouts }, { clock, log: silentLog, resolve });
  onTestFinished(() => connector.close());
  const attachment = { workOrderNumber: "4711", containerCode: "C-9" };
  return (signal?: AbortSignal) =>
    Promise.resolve(connector.operations.attachWorkOrder?.(attachment, deliveryContext({}, signal)));
}

/**
 * Returns the fault of an attempt. The attempt must end before a timer of this thread that is set longer than the
 * promised limit.
 */
async function faultOf(work: Promise<unknown>): Promise<Fault> {
  let isTooLate = false;
  const control = setTimeout(() => {
    // After a stall both are due at the same time: the attempt gets some turns of the event loop to end.
    let turns = 50;
    const look = () => {
      isTooLate = --turns === 0;
      if (!isTooLate) setImmediate(look);
    };
    look();
  }, timeouts.totalMs * 2);
  const error = await work.then(
    (outcome) => new Error(`no fault but ${JSON.stringify(outcome)}`),
    (thrown: unknown) => thrown,
  );
  clearTimeout(control);
  expect(isTooLate).toBe(false);
  if (!(error instanceof Fault)) throw error;
  return error;
}

type Kind = "unreachable" | "rejected";

const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

test.each<[string, Kind, (socket: Socket) => void]>([
  ["takes the connection and stays silent", "unreachable", () => {}],
  ["resets the connection", "unreachable", (socket) => socket.resetAndDestroy()],
  ["closes without an answer", "unreachable", (socket) => socket.end()],
  ["stops within the headers", "unreachable", (socket) => socket.write("HTTP/1.1 200 OK\r\nContent-")],
  ["closes within the headers", "unreachable", (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-")],
  ["stops within the body", "unreachable", (socket) => socket.write(`${head}Content-Length: 9\r\n\r\n{"a"`)],
  ["closes within the body", "unreachable", (socket) => socket.end(`${head}Content-Length: 9\r\n\r\n{"a"`)],
  ["resets within the body", "unreachable", (socket) => thenReset(socket, `${head}Content-Length: 9\r\n\r\n{"a"`)],
  [
    "closes within a chunk",
    "unreachable",
    (socket) => socket.end(`${head}Transfer-Encoding: chunked\r\n\r\n9\r\n{"a"`),
  ],
  [
    "writes a chunk without a size",
    "rejected",
    (socket) => socket.write(`${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`),
  ],
  ["speaks another protocol", "rejected", (socket) => socket.end("SSH-2.0-OpenSSH_9.2\r\n")],
  ["sends headers without end", "rejected", (socket) => socket.write(`${head}X-Long: ${"x".repeat(100_000)}\r\n\r\n`)],
  [
    "switches the protocol",
    "unreachable",
    (socket) => socket.write("HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
  ],
  ["announces an answer for ever", "unreachable", (socket) => every(socket, "HTTP/1.1 102 Processing\r\n\r\n")],
])(
  "a receiver that %s gets nothing counted as delivered, and its socket is released",
  async (_what, kind, misbehave) => {
    const server = await rawReceiver(misbehave);
    expect((await faultOf(open(server.url)())).kind).toBe(kind);
    await server.allClosed();
  },
);

function thenReset(socket: Socket, text: string): void {
  socket.write(text, () => socket.resetAndDestroy());
}

/** Writes a text repeatedly until the other side closes the connection. */
function every(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 20);
  socket.on("close", () => clearInterval(timer));
}

/** Writes as fast as the other side reads, until it closes or the length is reached. */
function pour(response: ServerResponse, chunk: Buffer, lengthBytes = Number.POSITIVE_INFINITY): { sentBytes: number } {
  const poured = { sentBytes: 0 };
  const more = () => {
    while (poured.sentBytes < lengthBytes && !response.destroyed) {
      poured.sentBytes += chunk.length;
      if (!response.write(chunk)) {
        response.once("drain", more);
        return;
      }
    }
    response.end();
  };
  more();
  return poured;
}

const filler = Buffer.alloc(64 * 1024, " ");
const type = { "content-type": "application/json" };

test.each<[string, Kind, number, Record<string, string>, Buffer | string]>([
  ["a login page", "rejected", 200, { "content-type": "text/html" }, "<html><form action=/login></html>"],
  ["JSON that is called HTML", "rejected", 200, { "content-type": "text/html" }, "{}"],
  ["JSON without a type", "rejected", 200, {}, "{}"],
  ["JSON that was cut off", "rejected", 200, type, '{"result":"Succe'],
  ["two JSON values", "rejected", 200, type, "{}{}"],
  [
    "Latin-1 that is called UTF-8",
    "rejected",
    200,
    { "content-type": "application/json; charset=utf-8" },
    Buffer.from('{"a":"ü"}', "latin1"),
  ],
  ["a charset nobody knows", "rejected", 200, { "content-type": "application/json; charset=klingon" }, "{}"],
  ["binary rubbish", "rejected", 200, type, Buffer.from([0, 255, 254, 1, 128])],
  ["JSON as deep as a well", "rejected", 200, type, "[".repeat(100_000) + "]".repeat(100_000)],
  ["a gzip bomb", "rejected", 200, { ...type, "content-encoding": "gzip" }, gzipSync(Buffer.alloc(100_000_000))],
  ["an unknown encoding", "rejected", 200, { ...type, "content-encoding": "br, gzip" }, "{}"],
  ["an error page", "unreachable", 502, { "content-type": "text/html" }, "<h1>Bad Gateway</h1>"],
  ["an error with a refusal in it", "unreachable", 503, type, '{"result":"WorkOrderAlreadyAttached"}'],
])("%s is no delivery", async (_what, kind, status, headers, body) => {
  const server = await receiver((response) => response.writeHead(status, headers).end(body));
  const fault = await faultOf(open(server.url)());
  expect([fault.kind, fault.answer.status]).toEqual([kind, status]);
});

test("a body of a gigabyte is cut after a mebibyte", async () => {
  const poured: { sentBytes: number }[] = [];
  const server = await receiver((response) => {
    response.writeHead(200, { ...type, "content-length": String(2 ** 30) });
    poured.push(pour(response, filler, 2 ** 30));
  });
  expect((await faultOf(open(server.url)())).kind).toBe("rejected");
  await server.allClosed();
  // The kernel's buffers on both sides add to what was read.
  expect(poured[0]?.sentBytes).toBeLessThan(64 * 2 ** 20);
});

test("endless chunks are cut, fast ones by size and slow ones by time", async () => {
  const quick = await receiver((response) => void pour(response.writeHead(200, type), filler));
  expect((await faultOf(open(quick.url)())).kind).toBe("rejected");
  await quick.allClosed();
  const slow = await rawReceiver((socket) => {
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
    every(socket, "1\r\n \r\n");
  });
  expect((await faultOf(open(slow.url)())).kind).toBe("unreachable");
  await slow.allClosed();
});

test("a redirect is not followed, neither to itself nor to loopback", async () => {
  const other = await receiver((response) => response.writeHead(204).end());
  for (const status of [301, 302, 303, 307, 308]) {
    for (const location of ["/events", other.url, "http://169.254.169.254/latest"]) {
      const server = await receiver((response) => response.writeHead(status, { location }).end());
      expect(await faultOf(open(server.url)())).toMatchObject({ kind: "rejected", answer: { status } });
      expect(server.requests).toHaveLength(1);
    }
  }
  expect(other.connections).toHaveLength(0);
});

test.each([
  ["120", 120_000],
  ["0", 0],
  ["99999999", 3_600_000],
  [new Date(clock.now() + 30_000).toUTCString(), 30_000],
  [new Date(clock.now() - 30_000).toUTCString(), 0],
  ["soon", undefined],
  ["-5", undefined],
])("Retry-After: %s is kept with the fault", async (header, expected) => {
  for (const status of [429, 503]) {
    const server = await receiver((response) => response.writeHead(status, { "retry-after": header }).end());
    const fault = await faultOf(open(server.url)());
    expect([fault.kind, fault.answer.retryAfterMs]).toEqual(["unreachable", expected]);
  }
});

test("a name that is never resolved takes no longer than a connection may", async () => {
  const fault = await faultOf(open("http://erp.example:81/", () => new Promise(() => {}))());
  expect(fault).toMatchObject({
    kind: "unreachable",
    message: expect.stringContaining(`no connection within ${timeouts.connectMs} ms`),
  });
});

test("an unknown host name or a closed port counts as a failure of the receiver, not of the event", async () => {
  const unknown = open("http://erp.example/", async () => {
    throw Object.assign(new Error("getaddrinfo ENOTFOUND erp.example"), { code: "ENOTFOUND" });
  });
  expect(await faultOf(unknown())).toMatchObject({
    kind: "unreachable",
    message: expect.stringContaining("ENOTFOUND"),
  });
  expect((await faultOf(open("http://127.0.0.1:1/")())).kind).toBe("unreachable");
});

test("an https address without TLS counts as a failure of the receiver, not of the event", async () => {
  const server = await rawReceiver((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
  expect((await faultOf(open(server.url.replace("http:", "https:"))())).kind).toBe("unreachable");
  await server.allClosed();
});

test("a delivery that is broken off releases its socket at once", async () => {
  const controller = new AbortController();
  const server = await rawReceiver(() => controller.abort());
  expect((await faultOf(open(server.url)(controller.signal))).kind).toBe("unreachable");
  await server.allClosed();
  expect((await faultOf(open(server.url)(AbortSignal.abort()))).kind).toBe("unreachable");
  expect(server.connections).toHaveLength(1);
});

test("a receiver that answers before it has read the whole request is judged by its answer", async () => {
  const server = await rawReceiver((socket) => {
    if (!socket.writableEnded) socket.end("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  });
  expect(await faultOf(open(server.url)())).toMatchObject({ kind: "rejected", answer: { status: 413 } });
});

test("an idle connection that the receiver has closed is not a failure: the entry is sent on a new one", async () => {
  let position = 0;
  const server = await rawReceiver((socket) => {
    position += 1;
    // The second request uses a connection that is being reset.
    if (position === 2) socket.resetAndDestroy();
    else socket.write(`${head}Content-Length: 2\r\n\r\n{}`);
  });
  const attach = open(server.url);
  expect(await attach()).toEqual(ok(null));
  expect(await attach()).toEqual(ok(null));
  expect([position, server.connections.length]).toEqual([3, 2]);
});

test("hundreds of failures leave no socket open", async () => {
  const modes: readonly ((socket: Socket) => void)[] = [
    (socket) => socket.resetAndDestroy(),
    (socket) => socket.end(),
    (socket) => socket.end("SSH-2.0\r\n"),
    (socket) => socket.write(`${head}Content-Encoding: gzip\r\nContent-Length: 99\r\n\r\nx`),
    (socket) => thenReset(socket, `${head}Content-Length: 9\r\n\r\n{`),
    () => {},
  ];
  const openSockets = () => process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;
  const before = openSockets();
  const servers: Receiver[] = [];
  for (const misbehave of modes) servers.push(await rawReceiver((socket) => misbehave(socket)));
  const attempts = servers.flatMap(({ url }) => {
    const attach = open(url);
    return Array.from({ length: 50 }, () => attach());
  });
  const outcomes = await Promise.allSettled(attempts);
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toEqual([]);
  for (const server of servers) await server.allClosed();
  // Both ends are in this process. The last sockets need a few more turns; one that stayed open would run into the
  // time-out.
  while (openSockets() > before) await new Promise(setImmediate);
});
