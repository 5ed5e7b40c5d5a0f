import { readFileSync } from "node:fs";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { forwardProxy } from "../../../test/support/receivers/forward-proxy.ts";
import { receiver } from "../../../test/support/receivers/receiver.ts";
import { type ClientNeeds, httpClient } from "../http-client.ts";
import { faultOfError } from "./judge-answer.ts";

const timeouts = { connectMs: 60_000, headersMs: 60_000, totalMs: 60_000 };
const file = (name: string) =>
  readFileSync(new URL(`../../../test/fixtures/tls/localhost.${name}`, import.meta.url), "utf8");

/** A client for a host that only the proxy can find. */
function open(url: string, more: Partial<ClientNeeds> = {}) {
  const home = new URL(url);
  const client = httpClient({
    ...{ url: home, timeouts, maxAnswerBytes: 1024 * 1024, decodes: false },
    resolve: async (hostname) => {
      throw Object.assign(new Error(`nobody should ask for ${hostname}`), { code: "ENOTFOUND" });
    },
    ...more,
  });
  onTestFinished(() => client.close());
  return (body?: Uint8Array) => {
    const signal = new AbortController().signal;
    return client.send({ method: body === undefined ? "GET" : "POST", url: home, headers: {}, body, signal });
  };
}

const named = (url: string, host = "erp.example") => url.replace("127.0.0.1", host);

async function secureReceiver() {
  const clients: unknown[] = [];
  const server = createSecureServer(
    { cert: file("crt"), key: file("key"), ca: file("crt"), requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      // Only TLS sockets have this member, and this server has no others.
      clients.push((request.socket as unknown as { authorized: boolean }).authorized);
      response.end(`${request.method} ${request.url}`);
    },
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve()).closeAllConnections()));
  // A server on a port has this type; only a server on a pipe has a string.
  return { url: `https://localhost:${(server.address() as AddressInfo).port}/items?a=1`, clients };
}

test("a plain URL is requested in absolute form, over one connection to the proxy", async () => {
  const erp = await receiver((response) => response.end("in"));
  const proxy = await forwardProxy();
  const url = named(erp.url);
  const send = open(url, { proxy: proxy.url });
  for (let time = 0; time < 3; time++) expect((await send(Buffer.from("x"))).body.toString()).toBe("in");
  expect(proxy.seen).toEqual(Array.from({ length: 3 }, () => ({ method: "POST", target: url, login: undefined })));
  expect(proxy.connections).toHaveLength(1);
  expect(erp.requests.map(({ headers, body }) => [headers.host, body.toString()])).toEqual(
    Array.from({ length: 3 }, () => [new URL(url).host, "x"]),
  );
});

test("a secure address is reached through a tunnel, with our own certificate authority and our own certificate", async () => {
  const erp = await secureReceiver();
  const proxy = await forwardProxy();
  const ca = file("crt");
  const send = open(erp.url, { proxy: proxy.url, tls: { ca, cert: file("crt"), key: file("key") } });
  for (let time = 0; time < 3; time++) expect((await send()).body.toString()).toBe("GET /items?a=1");
  expect(proxy.seen).toEqual([{ method: "CONNECT", target: new URL(erp.url).host, login: undefined }]);
  expect(erp.clients).toEqual([true, true, true]);
  // Without the authority, the tunnel is opened but the certificate at its end is not trusted.
  await expect(open(erp.url, { proxy: proxy.url })()).rejects.toThrow();
});

test("a proxy can be used over TLS if its certificate is trusted", async () => {
  const proxy = await forwardProxy(undefined, { cert: file("crt"), key: file("key") });
  const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
  const needs = { proxy: proxy.url, resolve, tls: { ca: file("crt") } };
  const [plain, secure] = [await receiver((response) => response.end("in")), await secureReceiver()];
  expect((await open(named(plain.url), needs)(Buffer.from("x"))).body.toString()).toBe("in");
  expect((await open(secure.url, needs)()).body.toString()).toBe("GET /items?a=1");
  expect(proxy.seen.map(({ method }) => method)).toEqual(["POST", "CONNECT"]);
  await expect(open(named(plain.url), { ...needs, tls: {} })()).rejects.toThrow(/through the proxy/);
});

test("the proxy gets its login and the receiver does not", async () => {
  const erp = await receiver((response) => response.end());
  const proxy = await forwardProxy();
  const login = proxy.url.replace("//", "//me%40corp:pa%3Ass@");
  await open(named(erp.url), { proxy: login })();
  const secure = await secureReceiver();
  await open(secure.url, { proxy: login, tls: { ca: file("crt") } })();
  const expected = `Basic ${Buffer.from("me@corp:pa:ss").toString("base64")}`;
  expect(proxy.seen.map((seen) => seen.login)).toEqual([expected, expected]);
  expect(erp.requests[0]?.headers).not.toHaveProperty("proxy-authorization");
});

test("the environment names the proxy, and NO_PROXY the hosts that are called directly", async () => {
  const erp = await receiver((response) => response.end());
  const proxy = await forwardProxy();
  const environment = { HTTP_PROXY: proxy.url, NO_PROXY: "near.example" };
  await open(named(erp.url), { environment })();
  expect(proxy.seen).toHaveLength(1);
  const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
  await open(named(erp.url, "near.example"), { environment, resolve, allowPrivate: true })();
  await open(named(erp.url), { environment, resolve, allowPrivate: true, proxy: "none" })();
  expect([proxy.seen.length, erp.requests.length]).toEqual([1, 3]);
});

test.each([
  ["asks for a login", 407],
  ["refuses", 403],
  ["fails", 502],
])("a proxy that %s is trouble on the way for a tunnel, and its password is not told", async (_what, status) => {
  const proxy = await forwardProxy(() => status);
  const url = proxy.url.replace("//", "//me:geheim1@");
  const error = await open("https://erp.example/", { proxy: url })().catch((thrown: unknown) => thrown);
  const fault = faultOfError(error, (text) => text);
  expect(fault).toMatchObject({ kind: "unreachable", message: expect.stringContaining(String(status)) });
  expect(fault.message).toContain(`through the proxy ${proxy.url}`);
  expect(fault.message).not.toContain("geheim1");
});

test("a plain request for which the proxy requires a login is a failure of the network, not of the event", async () => {
  const proxy = await forwardProxy(() => 407);
  const send = open("http://erp.example/", { proxy: proxy.url });
  for (let time = 0; time < 2; time++) {
    const error = await send().catch((thrown: unknown) => thrown);
    expect(faultOfError(error, (text) => text)).toMatchObject({
      kind: "unreachable",
      message: expect.stringContaining("407"),
    });
  }
});

test("an event that the proxy refuses on a kept connection is not sent again", async () => {
  const erp = await receiver((response) => response.end("in"));
  const proxy = await forwardProxy(() => (proxy.seen.length > 1 ? 407 : null));
  const send = open(named(erp.url), { proxy: proxy.url });
  await send(Buffer.from("{}"));
  await expect(send(Buffer.from("{}"))).rejects.toThrow(/407/);
  expect([proxy.seen.length, proxy.connections.length, erp.requests.length]).toEqual([2, 1, 1]);
});

test.each(["silence", "hang-up"] as const)("a proxy's %s is given up and nothing stays open", async (answer) => {
  const proxy = await forwardProxy(() => answer);
  const short = { connectMs: 100, headersMs: 200, totalMs: 300 };
  for (const url of ["https://erp.example/", "http://erp.example/"]) {
    const send = open(url, { proxy: proxy.url, timeouts: short });
    await expect(send(Buffer.from("{}"))).rejects.toThrow();
  }
  // Each was sent once: the library must not repeat an event without our knowledge.
  expect(proxy.seen.map(({ method }) => method)).toEqual(["CONNECT", "POST"]);
});

test("a proxy that is not there is named", async () => {
  const error = await open("https://erp.example/", { proxy: "http://127.0.0.1:1" })().catch(
    (thrown: unknown) => thrown,
  );
  expect(faultOfError(error, (text) => text)).toMatchObject({
    kind: "unreachable",
    message: expect.stringMatching(/through the proxy http:\/\/127\.0\.0\.1:1 .*ECONNREFUSED/),
  });
});

test("a proxy opens no way past the list of hosts", async () => {
  const proxy = await forwardProxy();
  expect(() => open("https://evil.example/", { proxy: proxy.url, allowHosts: ["erp.example"] })).toThrow(/allowHosts/);
  expect(() => open("https://10.0.0.1/", { proxy: proxy.url, allowPrivate: false })).toThrow(/private/);
  const send = open("https://erp.example/", { proxy: proxy.url });
  await expect(send()).rejects.toThrow();
  expect(proxy.seen.map(({ target }) => target)).toEqual(["erp.example:443"]);
});

test("if private addresses are forbidden, the name is checked before the proxy is used", async () => {
  const erp = await receiver((response) => response.end());
  const proxy = await forwardProxy();
  const needs = { proxy: proxy.url, allowPrivate: false };
  const resolving = (address: string) => async (host: string) => [
    { address: host === "127.0.0.1" ? host : address, family: 4 },
  ];
  await expect(open(named(erp.url), { ...needs, resolve: resolving("10.0.0.1") })()).rejects.toThrow(/10\.0\.0\.1/);
  expect(proxy.seen).toEqual([]);
  await open(named(erp.url), { ...needs, resolve: resolving("93.184.215.14") })();
  expect(proxy.seen).toHaveLength(1);
});
