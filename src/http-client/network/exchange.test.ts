import { readFileSync } from "node:fs";
import { createSecureServer } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { rawReceiver, receiver } from "../../../test/support/receivers/receiver.ts";
import { faultOfError } from "../answers/judge-answer.ts";
import { type ClientNeeds, type HttpRequest, httpClient } from "../http-client.ts";

const timeouts = { connectMs: 60_000, headersMs: 60_000, totalMs: 60_000 };

function open(url: string, more: Partial<ClientNeeds> = {}) {
  const home = new URL(url);
  const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
  const client = httpClient({ url: home, timeouts, maxAnswerBytes: 1024 * 1024, decodes: false, resolve, ...more });
  onTestFinished(() => client.close());
  const send = (body?: Uint8Array, signal = new AbortController().signal, how: Partial<HttpRequest> = {}) =>
    client.send({ method: body === undefined ? "GET" : "POST", url: home, headers: {}, body, signal, ...how });
  return { send, close: client.close };
}

async function faultOf(work: Promise<unknown>) {
  const [outcome] = await Promise.allSettled([work]);
  if (outcome?.status !== "rejected") throw new Error("there was an answer");
  return faultOfError(outcome.reason, (text) => text);
}

const event = Buffer.from('{"a":1}');
const ok = (body: string, more = "") => `HTTP/1.1 200 OK\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;

test("an event on a new connection that breaks is not silently sent again", async () => {
  for (const end of [(socket: Socket) => socket.end(), (socket: Socket) => socket.resetAndDestroy()]) {
    let requests = 0;
    const server = await rawReceiver((socket) => {
      requests += 1;
      end(socket);
    });
    expect((await faultOf(open(server.url).send(event))).kind).toBe("unreachable");
    expect([requests, server.connections.length]).toEqual([1, 1]);
  }
});

test.each<[string, Partial<HttpRequest>, number]>([
  ["a POST is not sent again: it may have been executed", { method: "POST" }, 1],
  ["a PATCH is not sent again", { method: "PATCH" }, 1],
  ["a POST that only reads is sent once more, and not a third time", { method: "POST", isRepeatable: true }, 2],
  ["a PUT is sent once more, and not a third time", { method: "PUT" }, 2],
  ["a PUT whose sender asks first is not sent again", { method: "PUT", isRepeatable: false }, 1],
  ["a GET is sent once more, and not a third time", { method: "GET", body: undefined }, 2],
])("on a reused connection that breaks, %s", async (_what, how, sent) => {
  let requests = 0;
  const server = await rawReceiver((socket) => {
    requests += 1;
    if (requests === 1) socket.write(ok("{}"));
    else socket.resetAndDestroy();
  });
  const { send } = open(server.url);
  await send(event);
  expect((await faultOf(send(event, undefined, how))).kind).toBe("unreachable");
  expect([requests, server.connections.length]).toEqual([1 + sent, sent]);
});

test("an event whose answer had begun is not sent again, though the connection was kept", async () => {
  let requests = 0;
  const server = await rawReceiver((socket) => {
    requests += 1;
    if (requests === 1) socket.write(ok("{}"));
    else socket.end("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{");
  });
  const { send } = open(server.url);
  await send(event);
  expect((await faultOf(send(event))).kind).toBe("unreachable");
  expect(requests).toBe(2);
});

test("as many connections are made as requests run at once, and afterwards they are used again", async () => {
  const { url, connections } = await receiver((response) => response.end("{}"));
  const { send } = open(url);
  await Promise.all(Array.from({ length: 8 }, () => send(event)));
  expect(connections).toHaveLength(8);
  for (let time = 0; time < 16; time++) await send(event);
  await Promise.all(Array.from({ length: 8 }, () => send(event)));
  expect(connections).toHaveLength(8);
});

test("an answer that comes while the body is still being sent counts, and its connection is not used again", async () => {
  const server = await rawReceiver((socket) => {
    // Stops reading: the bytes that were already sent stay in front of everything that would follow.
    socket.pause();
    socket.write(ok("no").replace("200 OK", "413 Too Large"));
  });
  const { send } = open(server.url);
  const large = Buffer.alloc(32 * 2 ** 20, " ");
  expect((await send(large)).status).toBe(413);
  expect((await send(large)).status).toBe(413);
  expect(server.connections).toHaveLength(2);
});

test.each([
  ["at once", ["HTTP/1.1 100 Continue\r\n\r\n"]],
  ["twice", ["HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 Continue\r\nServer: x\r\n\r\n"]],
  ["in pieces", ["HTTP/1.", "1 100 Conti", "nue\r\n\r", "\n"]],
  ["with others", ["HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"]],
])("interim answers that come %s are passed over", async (_how, pieces) => {
  const content = "HTTP/1.1 100 Continue\r\n\r\nis content here";
  const [head = "", body = ""] = ok(content).split(/(?<=\r\n\r\n)(?=HTTP)/);
  const server = await rawReceiver((socket) => void inPieces(socket, [...pieces, head, body]));
  const { send } = open(server.url);
  for (let time = 0; time < 3; time++) expect((await send(event)).body.toString()).toBe(content);
  expect(server.connections).toHaveLength(1);
});

/** Sends each piece only after the other side, which is in this process, has read the previous one. */
async function inPieces(socket: Socket, pieces: readonly string[]): Promise<void> {
  socket.setNoDelay(true);
  for (const piece of pieces) {
    await new Promise<void>((resolve) => void socket.write(piece, () => resolve()));
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  }
}

const untilClosed = "HTTP/1.1 200 OK\r\nConnection: close\r\n";
test("a body without a length ends when the connection is closed, and is incomplete if the connection breaks", async () => {
  const whole = await rawReceiver((socket) => socket.end(`${untilClosed}\r\n[1]`));
  expect((await open(whole.url).send()).body.toString()).toBe("[1]");
  const broken = await rawReceiver(async (socket) => {
    await inPieces(socket, [`${untilClosed}\r\n[1]`]);
    socket.resetAndDestroy();
  });
  expect((await faultOf(open(broken.url).send())).kind).toBe("unreachable");
});

test("a connection that is closed as announced, but within a chunk, is a failure of the receiver", async () => {
  const server = await rawReceiver((socket) => socket.end(`${untilClosed}Transfer-Encoding: chunked\r\n\r\n9\r\n{"a"`));
  expect((await faultOf(open(server.url).send())).kind).toBe("unreachable");
});

test("user name and password in the address are shown as a login", async () => {
  const { url, requests } = await receiver((response) => response.end());
  await open(url.replace("//", "//me%40corp:se%3Acret@")).send();
  const expected = `Basic ${Buffer.from("me@corp:se:cret").toString("base64")}`;
  expect(requests[0]?.headers.authorization).toBe(expected);
});

test("duplicate headers become one text, and of a duplicate content type the first counts", async () => {
  const more = "Content-Type: application/json\r\nContent-Type: text/html\r\nX-A: 1\r\nX-A: 2\r\nSet-Cookie: a=1\r\n";
  const server = await rawReceiver((socket) => socket.write(ok("{}", more)));
  expect((await open(server.url).send()).headers).toMatchObject({
    ...{ "content-type": "application/json", "x-a": "1, 2", "set-cookie": ["a=1"] },
  });
});

test("closing ends what is under way and every connection", async () => {
  const asked = Promise.withResolvers<void>();
  const server = await rawReceiver(() => asked.resolve());
  const { send, close } = open(server.url);
  const fault = faultOf(send(event));
  await asked.promise;
  close();
  expect((await fault).kind).toBe("unreachable");
  await server.allClosed();
  expect((await faultOf(send(event))).kind).toBe("unreachable");
});

test("a request that is aborted before it is connected leaves no socket open", async () => {
  const controller = new AbortController();
  // Accepts the connection and does not answer the TLS handshake.
  const server = await rawReceiver(() => controller.abort());
  const { send } = open(server.url.replace("http:", "https:"));
  expect((await faultOf(send(event, controller.signal))).kind).toBe("unreachable");
  await server.allClosed();
});

test("a server that prefers HTTP/2 is called with HTTP/1.1", async () => {
  const file = (name: string) =>
    readFileSync(new URL(`../../../test/fixtures/tls/localhost.${name}`, import.meta.url), "utf8");
  const server = createSecureServer({ cert: file("crt"), key: file("key"), allowHTTP1: true }, (request, response) =>
    response.end(request.httpVersion),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  // A server on a port has this type; only a server on a pipe has a string.
  const { port } = server.address() as AddressInfo;
  const { send, close } = open(`https://localhost:${port}/`, { tls: { ca: file("crt") } });
  expect((await send()).body.toString()).toBe("1.1");
  close();
});
