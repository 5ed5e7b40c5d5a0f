import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { openContext } from "../../../test/support/connectors/open-context.ts";
import { httpErp } from "../../../test/support/receivers/http-erp.ts";
import { openHttp } from "./connector.ts";

test("a system that accepts the login passes the check, whatever it answers at that address", async () => {
  const { connector, requests } = await httpErp(
    { checkPath: "/ping", headers: { "x-shop": "1" } },
    (_request, response) => {
      response.statusCode = 404;
    },
  );
  await connector.check();
  expect(requests[0]).toMatchObject({ method: "GET", pathname: "/ping", headers: { "x-shop": "1" } });
});

test.each([
  [401, /login was refused.*check auth/],
  [403, /right to read/],
  [302, /configure the final address/],
  [500, /check its log/],
])("status %i says what to do next", async (status, advice) => {
  const { connector } = await httpErp({}, (_request, response) => {
    response.statusCode = status;
  });
  await expect(connector.check()).rejects.toThrow(advice);
});

const failing = (baseUrl: string, resolve = async () => [{ address: "127.0.0.1", family: 4 }]) =>
  openHttp({ baseUrl }, { ...openContext(), resolve }).check();

test("for an unknown host name, the message says to check the host", async () => {
  const unknown = async () => {
    throw Object.assign(new Error("getaddrinfo ENOTFOUND erp.invalid"), { code: "ENOTFOUND" });
  };
  await expect(failing("http://erp.invalid", unknown)).rejects.toThrow(/check the host in its address/);
});

test("for a closed port, the message says to check the port", async () => {
  await expect(failing("http://127.0.0.1:1")).rejects.toThrow(/check the port/);
});

test("for an untrusted certificate, the message names the missing option", async () => {
  const file = (name: string) =>
    readFileSync(new URL(`../../../test/fixtures/tls/localhost.${name}`, import.meta.url), "utf8");
  const server = createServer({ cert: file("crt"), key: file("key") }, (_request, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve()).closeAllConnections()));
  // The server listens on a port; only for a pipe would the address be a text.
  const { port } = server.address() as AddressInfo;
  await expect(failing(`https://localhost:${port}`)).rejects.toThrow(/set tls\.ca to the certificate of its issuer/);
});
