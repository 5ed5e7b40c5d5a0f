import { readFileSync } from "node:fs";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { receiver } from "../../test/support/receivers/receiver.ts";
import { Fault } from "../operation/fault.ts";
import { faultOfError } from "./answers/judge-answer.ts";
import { httpClient } from "./http-client.ts";
import { defaultTimeouts, type TlsFiles } from "./network/connection-pool.ts";

const maxAnswerBytes = 1024 * 1024;

function open(url: string, tls: TlsFiles = {}) {
  const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
  const home = new URL(url);
  const client = httpClient({ url: home, tls, timeouts: defaultTimeouts, maxAnswerBytes, decodes: true, resolve });
  onTestFinished(() => client.close());
  return (path = "/") =>
    client.send({ method: "GET", url: new URL(path, home), headers: {}, signal: new AbortController().signal });
}

const answering = async (encoding: string, body: Buffer) => {
  const { url, allClosed } = await receiver((response) =>
    response.writeHead(200, { "content-encoding": encoding }).end(body),
  );
  return { get: open(url), allClosed };
};

const text = Buffer.from('{"orders":["ä"]}');
test.each([
  ["gzip", gzipSync(text)],
  ["x-gzip", gzipSync(text)],
  ["deflate", deflateSync(text)],
  ["br", brotliCompressSync(text)],
  ["identity", text],
])("an answer in %s is read", async (encoding, body) => {
  const { get } = await answering(encoding, body);
  expect(await get()).toMatchObject({ status: 200, unread: null, body: text });
});

test("an answer that expands beyond the limit is cut there, however small it was when compressed", async () => {
  const { get, allClosed } = await answering("gzip", gzipSync(Buffer.alloc(200 * 1024 * 1024)));
  const { unread, body } = await get();
  // Of a body that nobody reads, the beginning is enough.
  expect([unread, body.length]).toEqual(["too-long", 64 * 1024]);
  await allClosed();
});

test.each([
  ["broken off", gzipSync(text).subarray(0, 20)],
  ["none at all", text],
])("a compression that is %s is a rejected answer", async (_name, body) => {
  const { get } = await answering("gzip", body);
  const error = await get().catch((thrown: unknown) => thrown);
  expect(faultOfError(error, (one) => one)).toMatchObject({ kind: "rejected" });
});

test("a compression that was not accepted is not read", async () => {
  const { get } = await answering("zstd", text);
  expect(await get()).toMatchObject({ unread: "encoded" });
});

test("another host gets nothing, whatever the answer of the first one says", async () => {
  const { url } = await receiver((response) => response.end());
  await expect(open(url)("http://127.0.0.2/")).rejects.toThrow(Fault);
});

const file = (name: string) =>
  readFileSync(new URL(`../../test/fixtures/tls/localhost.${name}`, import.meta.url), "utf8");

test("if the server asks for it, the client sends its certificate", async () => {
  const server = createSecureServer(
    { cert: file("crt"), key: file("key"), ca: file("crt"), requestCert: true, rejectUnauthorized: true },
    (_request, response) => response.end("in"),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve()).closeAllConnections()));
  // A server on a port has this type; only a server on a pipe has a string.
  const url = `https://localhost:${(server.address() as AddressInfo).port}/`;
  await expect(open(url, { ca: file("crt") })()).rejects.toThrow();
  const answer = await open(url, { ca: file("crt"), cert: file("crt"), key: file("key") })();
  expect(answer.body.toString()).toBe("in");
});

test("a login in an address is sent as it was meant, also if its password contains a plain percent sign", async () => {
  const { url, requests } = await receiver((response) => response.end());
  await open(url.replace("//", "//user:100%hook@"))();
  const login = Buffer.from("user:100%hook").toString("base64");
  expect(requests[0]?.headers.authorization).toBe(`Basic ${login}`);
});
