import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../../src/config/load-config.ts";
import { apiKey } from "../support/adapter/adapter.ts";
import { spawnAdapter } from "../support/adapter/child-adapter.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { testIf } from "../support/test-if.ts";

const push = (url: string, key: string) =>
  fetch(`${url}/inbound/items`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": key },
    body: JSON.stringify({ number: "A-1", name: "bolt" }),
  }).then(({ status }) => status);

test("a secret file that is replaced is used without a restart and without a signal", async () => {
  const folder = temporaryFolder();
  const file = join(folder, "shop-key");
  writeFileSync(file, "first-key-0123456789\n");
  writeFileSync(
    join(folder, "crossdock.yaml"),
    "senders: { shop: { auth: { kind: apiKey, keys: ['file:./shop-key'] } } }\n",
  );
  const adapter = await spawnAdapter(folder);
  expect(await push(adapter.url, "first-key-0123456789")).toBe(202);
  expect(await push(adapter.url, "other-key-0123456789")).toBe(401);
  writeFileSync(`${file}.new`, "other-key-0123456789\n");
  renameSync(`${file}.new`, file);
  await expect.poll(adapter.output).toContain("a secret was replaced");
  await expect.poll(() => push(adapter.url, "other-key-0123456789"), { interval: 1_000 }).toBe(202);
  expect(await push(adapter.url, "first-key-0123456789")).not.toBe(202);
  expect(adapter.output()).not.toContain("other-key");
  await adapter.end("SIGTERM");
});

test("a secret file that the console named is followed too, and one that is empty for a moment changes nothing", async () => {
  const folder = temporaryFolder();
  const file = join(folder, "shop-key");
  writeFileSync(file, "first-key-0123456789\n");
  const adapter = await spawnAdapter(folder);
  const admin = async (route: string, body?: object) => {
    const headers = { "content-type": "application/json", "x-api-key": apiKey };
    const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const answer = await fetch(`${adapter.url}/admin/config${route}`, { headers, ...sent });
    expect(answer.status, route).toBe(200);
    // It has this member, as the routes of the console describe it.
    return (await answer.json()) as { readonly version: string };
  };
  const { version } = await admin("");
  const value = { auth: { kind: "apiKey", keys: ["file:./shop-key"] } };
  const changes = [{ path: ["senders", "shop"], value }];
  await admin("/apply", { changes, version, operator: "kim", reason: "a new shop" });
  expect(await push(adapter.url, "first-key-0123456789")).toBe(202);
  writeFileSync(file, "");
  await expect.poll(adapter.output).toContain("the old one stays in effect");
  expect(adapter.output()).toContain("it is empty");
  expect(await push(adapter.url, "first-key-0123456789")).toBe(202);
  writeFileSync(file, "other-key-0123456789\n");
  await expect.poll(() => push(adapter.url, "other-key-0123456789"), { interval: 1_000 }).toBe(202);
  await adapter.end("SIGTERM");
});

testIf(process.platform !== "win32")("what is no file is refused as a secret, and nobody waits for it", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "empty"), "\n");
  execFileSync("mkfifo", [join(folder, "pipe")]);
  const problem = (path: string) =>
    loadConfig({
      ...{ file: "crossdock.yaml", cwd: folder, env: {} },
      text: `connectors: { erp: { type: webhook, url: "https://a.example.com", headers: { Key: "file:${path}" } } }\n`,
    }).then(
      () => "none",
      (error: Error) => error.message,
    );
  expect(await problem("./pipe")).toContain("it is not a file");
  expect(await problem("/dev/zero")).toContain("it is not a file");
  expect(await problem("./")).toContain("it is not a file");
  expect(await problem("./empty")).toContain("it is empty");
});

testIf(process.platform !== "win32")("every way to give a secret that the page shows is read", async () => {
  const folder = temporaryFolder();
  const page = readFileSync(resolve(import.meta.dirname, "../../docs/how-to/secrets.md"), "utf8");
  const shown = /```yml\n([\s\S]+?)```/.exec(page)?.[1] ?? "";
  const program = join(folder, "vault");
  writeFileSync(program, "#!/bin/sh\necho from-vault\n");
  chmodSync(program, 0o755);
  mkdirSync(join(folder, "credentials"));
  writeFileSync(join(folder, "credentials/erp-token"), "from-systemd\n");
  writeFileSync(join(folder, "erp-token"), "from-docker\n");
  const text = shown.replaceAll("/run/secrets/", `${folder}/`).replaceAll("/usr/bin/vault", program);
  const { config, redact, secretSources } = await loadConfig({
    file: "crossdock.yaml",
    cwd: folder,
    text,
    env: {
      ERP_TOKEN: "from-environment",
      CREDENTIALS_DIRECTORY: join(folder, "credentials"),
      CROSSDOCK_SECRET_PROGRAMS: program,
    },
  });
  const read = ["from-environment", "from-docker", "from-systemd", "from-vault"];
  for (const value of read) expect(JSON.stringify(config.connectors)).toContain(value);
  expect(redact(read.join(" "))).toBe("*** *** *** ***");
  expect(secretSources.files).toEqual([join(folder, "erp-token"), join(folder, "credentials/erp-token")]);
});

test("what is missing is an error with its line and what to do about it", async () => {
  const text =
    "connectors:\n  erp:\n    type: http\n    baseUrl: https://erp.example.com\n    auth: { kind: bearer, token: SECRET }\n";
  const problem = (secret: string) =>
    loadConfig({
      file: "crossdock.yaml",
      cwd: temporaryFolder(),
      env: {},
      text: text.replace("SECRET", `"${secret}"`),
    }).then(
      () => "none",
      (error: Error) => error.message,
    );
  expect(await problem("credential:erp-token")).toMatch(/5:\d+[\s\S]*LoadCredential=erp-token/);
  expect(await problem("credential:../shadow")).toMatch(/not the name of a credential/);
  expect(await problem("exec:/usr/bin/vault x")).toMatch(/5:\d+[\s\S]*CROSSDOCK_SECRET_PROGRAMS/);
});

test("the key of the adapter and the address of its PostgreSQL can come from files", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "key"), "a-key\n");
  writeFileSync(join(folder, "store"), "postgres://u:p@db/crossdock\n");
  const env = { CROSSDOCK_API_KEY_FILE: "key", CROSSDOCK_STORE_FILE: join(folder, "store") };
  const { settings } = await loadConfig({ cwd: folder, env });
  expect(settings).toMatchObject({ apiKey: "a-key", store: "postgres://u:p@db/crossdock" });
  await expect(loadConfig({ cwd: folder, env: { ...env, CROSSDOCK_API_KEY: "b" } })).rejects.toThrow(/both set/);
  await expect(loadConfig({ cwd: folder, env: { CROSSDOCK_STORE_FILE: "none" } })).rejects.toThrow(/cannot be read/);
});
