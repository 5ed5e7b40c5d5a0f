import { execFile } from "node:child_process";
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { operationIds, operationRow, operations } from "../../src/contract/operations.ts";
import { apiKey, startAdapter } from "../support/adapter/adapter.ts";
import { authority, pemOf } from "../support/receivers/certificates.ts";
import { tokenIssuer } from "../support/receivers/token-issuer.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** The platform's own side: open by default, closed by configuration. */

const run = promisify(execFile);
const key = "platform-key-0123456789";
const contractRoutes = operationIds.filter((id) => operationRow(id).budget !== "none");

async function statusOf(url: string, id: (typeof operationIds)[number], headers: Record<string, string> = {}) {
  const { method, path } = operationRow(id);
  const answer = await fetch(url + path.replace(/\{.*\}/, "A-1"), {
    method,
    headers: { "content-type": "application/json", ...headers },
    ...(method === "POST" ? { body: "{}" } : {}),
  });
  return {
    status: answer.status,
    type: answer.headers.get("content-type"),
    challenge: answer.headers.get("www-authenticate"),
  };
}

test("without a setting the contract is open, as the platform knows it", async () => {
  const { url } = await startAdapter();
  for (const id of operationIds) expect(await statusOf(url, id)).toMatchObject({ status: 200 });
});

test("with a key set, every route of the contract needs it, or the adapter's own", async () => {
  const { url } = await startAdapter({ config: { platform: { auth: { kind: "apiKey", keys: [key] } } } });
  const problem = { status: 401, type: "application/problem+json; charset=utf-8", challenge: "Bearer" };
  expect(await statusOf(url, "listWorkOrders", { "x-api-key": "guess-0123456789" })).toEqual(problem);
  for (const id of contractRoutes) {
    expect([id, await statusOf(url, id)]).toEqual([id, problem]);
    expect(await statusOf(url, id, { "x-api-key": key })).toMatchObject({ status: 200 });
    expect(await statusOf(url, id, { authorization: `Bearer ${apiKey}` })).toMatchObject({ status: 200 });
  }
});

test("status, health and documentation stay open, or not, as it is set", async () => {
  const auth = { kind: "apiKey", keys: [key] };
  const own = ["/health/live", "/health/ready", "/docs", "/openapi.json", "/docs/page.js", operations.getStatus.path];
  const statusesAt = async (url: string, headers = {}) =>
    Promise.all(own.map(async (path) => (await fetch(url + path, { headers })).status));
  const { url, reload } = await startAdapter({ config: { platform: { auth } } });
  expect(await statusesAt(url)).toEqual([200, 200, 200, 200, 200, 200]);
  await reload({ platform: { auth, openRoutes: ["health"] } });
  expect(await statusesAt(url)).toEqual([200, 200, 401, 401, 401, 401]);
  expect(await statusesAt(url, { "x-api-key": key })).toEqual([200, 200, 200, 200, 200, 200]);
  await reload({});
  expect(await statusOf(url, "listWorkOrders")).toMatchObject({ status: 200 });
});

test("user and password, a token and an address do as well", async () => {
  const issuer = await tokenIssuer();
  const { url, reload } = await startAdapter({
    config: { platform: { auth: { kind: "basic", users: [{ username: "platform", password: "correct horse" }] } } },
  });
  const basic = `Basic ${Buffer.from("platform:correct horse").toString("base64")}`;
  expect(await statusOf(url, "listWorkOrders", { authorization: basic })).toMatchObject({ status: 200 });
  expect(await statusOf(url, "listWorkOrders", { authorization: "Basic eDp5" })).toMatchObject({
    status: 401,
    challenge: expect.stringContaining("Basic"),
  });

  const { jwksUrl, issuer: name } = issuer;
  await reload({ platform: { auth: { kind: "jwt", jwksUrl, issuer: name, audience: "crossdock" } } });
  const token = await issuer.sign();
  expect(await statusOf(url, "listWorkOrders", { authorization: `Bearer ${token}` })).toMatchObject({ status: 200 });
  expect(await statusOf(url, "listWorkOrders", { authorization: basic })).toMatchObject({ status: 401 });

  await reload({ platform: { addresses: ["10.0.0.0/8"] } });
  expect(await statusOf(url, "listWorkOrders")).toMatchObject({ status: 403 });
  // Without a trusted proxy anybody could write that.
  expect(await statusOf(url, "listWorkOrders", { "x-forwarded-for": "10.0.0.1" })).toMatchObject({ status: 403 });
  await reload({ platform: { addresses: ["10.0.0.0/8"] }, trustProxy: ["127.0.0.0/8"] });
  expect(await statusOf(url, "listWorkOrders", { "x-forwarded-for": "10.0.0.1" })).toMatchObject({ status: 200 });
  issuer.close();
});

test("over TLS, the platform is known by its certificate; without one it is refused in words", async () => {
  const folder = temporaryFolder();
  const ours = authority(folder);
  const server = ours.issue("localhost", { alternatives: "DNS:localhost,IP:127.0.0.1", use: "server" });
  const platform = ours.issue("platform", { alternatives: "DNS:platform.example", use: "client" });
  const { url } = await startAdapter({
    config: {
      platform: {
        tls: { ...server, clientCa: ours.file },
        auth: { kind: "mtls", subjects: ["CN=platform"] },
      },
    },
  });
  const address = url + operations.listWorkOrders.path;
  const call = async (...more: string[]) =>
    (await run("curl", ["-sS", "--cacert", ours.file, "-o", "/dev/null", "-w", "%{http_code}", ...more, address]))
      .stdout;
  expect(await call("--cert", platform.cert, "--key", platform.key)).toBe("200");
  expect(await call()).toBe("401");
  expect(await call("--tls-max", "1.1").catch((error: Error) => error.message)).toMatch(/protocol version|alert|SSL/i);
});

test("a renewed certificate is served after a reload; one that does not fit its key is not", async () => {
  const folder = temporaryFolder();
  const ours = authority(folder);
  const files = { cert: join(folder, "live.pem"), key: join(folder, "live.key") };
  const install = ({ cert, key: keyFile }: { cert: string; key: string }) => {
    copyFileSync(cert, files.cert);
    copyFileSync(keyFile, files.key);
  };
  const alternatives = "DNS:localhost,IP:127.0.0.1";
  const first = ours.issue("first", { alternatives, use: "server" });
  install(first);
  const config = { platform: { tls: files } };
  const { url, reload } = await startAdapter({ config });
  expect(await servedBy(url, ours.file)).toBe("first");
  install(ours.issue("second", { alternatives, use: "server" }));
  await reload(config);
  expect(await servedBy(url, ours.file)).toBe("second");
  writeFileSync(files.key, pemOf(first.key));
  await expect(reload(config)).rejects.toThrow(/platform\.tls: the certificate and key cannot be used/);
  expect(await servedBy(url, ours.file)).toBe("second");
});

/** The name in the certificate a new connection is shown. */
function servedBy(url: string, ca: string): Promise<string> {
  const { port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port: Number(port), ca: pemOf(ca) }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.on("error", reject);
  });
}
