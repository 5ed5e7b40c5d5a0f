import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createNetServer } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { openChannel, type Sending } from "./channel.ts";

const sending: Sending = { method: "POST", path: "/x", headers: {}, body: Buffer.from('{"a":"ä"}') };
const timeoutMs = 5_000;

async function serve(listener: RequestListener) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const channel = openChannel({ origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, timeoutMs });
  onTestFinished(async () => {
    await channel.close();
    server.closeAllConnections();
    server.close();
  });
  return channel;
}

test("an answer in pieces is put together, also where a character is cut in two", async () => {
  const channel = await serve((_, response) => {
    const bytes = Buffer.from("größer");
    response.write(bytes.subarray(0, 3));
    setImmediate(() => response.end(bytes.subarray(3)));
  });
  expect(await channel.send(sending)).toEqual({ status: 200, text: "größer" });
});

test("a call in two halves is sent completely, and one that is cut is not answered", async () => {
  const bodies: string[] = [];
  const channel = await serve(async (request, response) => {
    const body = await text(request).catch(() => "cut");
    bodies.push(body);
    response.end("done");
  });
  expect(await channel.send(sending, { kind: "halves", until: Promise.resolve() })).toMatchObject({ text: "done" });
  expect(await channel.send(sending, { kind: "cut" })).toHaveProperty("failure");
  expect(await channel.send(sending)).toMatchObject({ text: "done" });
  expect(bodies).toEqual(['{"a":"ä"}', "cut", '{"a":"ä"}']);
  expect(channel.breaks()).toBe(0);
});

test("a call given up while nobody answers ends, and the next one is answered", async () => {
  let calls = 0;
  const channel = await serve((request, response) => {
    request.resume();
    if (++calls > 1) response.end("second");
  });
  expect(await channel.send(sending, { kind: "given up", afterMs: 20 })).toEqual({ failure: "given up" });
  expect(await channel.send(sending)).toMatchObject({ text: "second" });
});

test("a call given up before it was its turn is never sent", async () => {
  const paths: (string | undefined)[] = [];
  const channel = await serve((request, response) => {
    paths.push(request.url);
    // Answers after the next call has timed out: a longer timer that starts later ends later.
    if (request.url === "/slow") setTimeout(() => response.end("slow"), 20);
    else response.end("done");
  });
  const slow = channel.send({ ...sending, path: "/slow" });
  const given = channel.send({ ...sending, path: "/given-up" }, { kind: "given up", afterMs: 0 });
  expect(await slow).toMatchObject({ text: "slow" });
  expect(await given).toEqual({ failure: "given up" });
  expect(await channel.send(sending)).toMatchObject({ text: "done" });
  expect(paths).toEqual(["/slow", "/x"]);
});

test("a connection that the other side closes behind its answer is no break, one that it cuts is", async () => {
  let calls = 0;
  const channel = await serve((request, response) => {
    request.resume();
    if (++calls > 2) request.socket.destroy();
    else response.setHeader("connection", "close").end("done");
  });
  expect(await channel.send(sending)).toMatchObject({ text: "done" });
  expect(await channel.send(sending)).toMatchObject({ text: "done" });
  expect(channel.breaks()).toBe(0);
  expect(await channel.send(sending)).toHaveProperty("failure");
  expect(channel.breaks()).toBe(1);
});

test("a connection that nobody takes is a failure and counts as a break", async () => {
  const closed = createNetServer().listen(0, "127.0.0.1");
  await once(closed, "listening");
  const { port } = closed.address() as AddressInfo;
  closed.close();
  const channel = openChannel({ origin: `http://127.0.0.1:${port}`, timeoutMs });
  onTestFinished(channel.close);
  expect(await channel.send(sending)).toHaveProperty("failure");
  expect(channel.breaks()).toBe(1);
});
