import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { missingForSmallDisk } from "../../../chaos/harness/disks/machine-rights.ts";
import { runTool, unmountWhenFree } from "../../../chaos/harness/disks/tools.ts";
import { apiKey } from "../../../test/support/adapter/adapter.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { hasFileModes, testIf } from "../../../test/support/test-if.ts";
import { loadConfig } from "../../config/load-config.ts";
import type { AppliedChange, ProposedChange, ShownConfig } from "../../server/workshop/config-editor.ts";
import { start } from "../start.ts";
import { configFile, whyNotWritten } from "./config-file.ts";

const first = `# Our adapter
timeZone: Europe/Vienna   # the site

connectors:
  # takes every event
  erp:
    type: webhook
    url: http://127.0.0.1:9/hook
    secrets: [whsec_bm90LWEtcmVhbC1zZWNyZXQtYXQtYWxs]
`;

/** A running adapter with a configuration file of its own. */
async function adapter(text: string | null = first, byCode?: string) {
  const folder = temporaryFolder();
  const path = join(folder, "crossdock.yaml");
  if (text !== null) writeFileSync(path, text);
  const env = {
    CROSSDOCK_DATA_DIR: join(folder, "data"),
    PORT: "0",
    CROSSDOCK_SAMPLE: "false",
    ERP_TOKEN: "whsec_dmVyeS1zZWNyZXQtdG9rZW4tZm9yLXRlc3Rz",
  };
  const load = (given?: string) => loadConfig({ env, cwd: folder, text: given });
  const { config, settings, describe, redact } = await load(byCode);
  const running = await start({
    ...{ config, settings: { ...settings, apiKey }, describe, redact },
    configuration: { path, source: { env, cwd: folder } },
  });
  onTestFinished(running.close);
  const call = async (method: "GET" | "POST", route: string, body?: object, language = "en") => {
    const answer = await fetch(`${running.url}/admin/config${route}`, {
      method,
      headers: { "x-api-key": apiKey, "content-type": "application/json", "accept-language": language },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const read = await answer.text();
    return { status: answer.status, text: read, json: JSON.parse(read) as unknown };
  };
  const version = async () => ((await call("GET", "")).json as ShownConfig).version;
  return { folder, path, call, version, file: () => readFileSync(path, "utf8") };
}

const reference = `\${${"ERP_TOKEN"}}`;
const by = { operator: "kim", reason: "the address has changed" };
const url = ["connectors", "erp", "url"];

test("the configuration is shown with where each value comes from, and without a secret", async () => {
  const { call, path } = await adapter();
  const { json, text } = await call("GET", "");
  const shown = json as ShownConfig;
  expect(shown).toMatchObject({ file: path, readOnlyBecause: null });
  expect(shown.values).toContainEqual({ path: ["timeZone"], value: "Europe/Vienna", from: "file", line: 2 });
  expect(shown.values).toContainEqual({ path: ["logLevel"], value: "info", from: "default" });
  expect(text).not.toContain("bm90LWEtcmVhbC1z");
});

test("the password of an address is not shown, and stays when something else of its section is changed", async () => {
  const address = "http://jo:p4ssword-of-jo@127.0.0.1:9/hook?sig=s1gnature-of-jo";
  const { call, version, file } = await adapter(first.replace("http://127.0.0.1:9/hook", address));
  const { json, text } = await call("GET", "");
  expect(text).not.toMatch(/p4ssword|s1gnature/);
  const shown = (json as ShownConfig).values.find(({ path }) => path.join(".") === "connectors.erp.url")?.value;
  expect(shown).toBe("http://jo:***@127.0.0.1:9/hook?sig=***");
  const changes = [
    { path: url, value: shown },
    { path: ["timeZone"], value: "Europe/Berlin" },
  ];
  expect((await call("POST", "/propose", { changes })).text).not.toMatch(/p4ssword|s1gnature/);
  expect((await call("POST", "/apply", { changes, version: await version(), ...by })).status).toBe(200);
  expect(file()).toContain(address);
  expect(file()).toContain("Europe/Berlin");
});

test("a value that the program gave is not shown as a default, and its connectors are listed", async () => {
  const own = {
    timeZone: "Europe/Vienna",
    budgets: { eventMs: 700 },
    connectors: {
      erp: { type: "webhook", url: "http://127.0.0.1:9/hook", secrets: ["whsec_bm90LWEtcmVhbC1zZWNyZXQ="] },
    },
    events: { to: "erp" },
  };
  const { call } = await adapter(null, JSON.stringify(own));
  const { values } = (await call("GET", "")).json as ShownConfig;
  const fromOf = (...path: string[]) => values.find((one) => one.path.join(".") === path.join("."))?.from;
  expect(fromOf("timeZone")).toBe("code");
  expect(fromOf("budgets", "eventMs")).toBe("code");
  expect(fromOf("events", "to")).toBe("code");
  expect(fromOf("budgets", "stepMs")).toBe("default");
  expect(fromOf("logLevel")).toBe("default");
  expect(values).toContainEqual({ path: ["connectors", "erp", "type"], value: "webhook", from: "code" });
});

test("a file with many sections leaves nothing that seems to be given by a program", async () => {
  const file = {
    timeZone: "Europe/Vienna",
    budgets: { eventMs: 700 },
    logging: { personalData: "mask" },
    retention: { bodiesDays: 20 },
    connectors: {
      erp: { type: "webhook", url: "http://127.0.0.1:9/hook", secrets: [reference] },
      mock: { preset: "mock-erp", type: "http", baseUrl: "http://127.0.0.1:9/api" },
    },
    events: { to: "erp", by: { confirmPutWallPlacement: "mock" } },
    serve: { workOrders: "mock", freshness: { itemsMinutes: 5 } },
    platform: { forward: { items: { request: { url: "http://127.0.0.1:9/items", body: { number: "number" } } } } },
    alarms: { webhook: { url: "http://127.0.0.1:9/", secrets: [reference] }, silence: [] },
    senders: { shop: { auth: { kind: "apiKey", keys: ["key-of-shop-0123456789"] } } },
    console: { users: { Vera: { apiKey: "key-of-vera-0123456789", role: "viewer" } } },
    files: { profiles: [{ name: "ours", columns: { No: "number" } }] },
  };
  const { call } = await adapter(JSON.stringify(file));
  const { values } = (await call("GET", "")).json as ShownConfig;
  expect(values.length).toBeGreaterThan(40);
  expect(values.filter(({ from }) => from === "code")).toEqual([]);
});

test("no key is shown, whether the file contains it, refers to it, or the program gave it", async () => {
  const keys = ["key-of-vera-0123456789", "key-of-shop-0123456789", "whsec_dmVyeS1zZWNyZXQtdG9rZW4tZm9yLXRlc3Rz"];
  const own = {
    console: { users: { Vera: { apiKey: keys[0] ?? "", role: "viewer" as const } } },
    senders: { shop: { auth: { kind: "apiKey" as const, keys: [keys[1] ?? ""] } } },
    alarms: { webhook: { url: "http://127.0.0.1:9/", secrets: [reference] } },
  };
  const { call } = await adapter(JSON.stringify(own));
  const inFile = (await call("GET", "")).text;
  const byCode = await adapter(null, JSON.stringify(own));
  const given = (await byCode.call("GET", "")).text;
  expect(given).toContain('"senders","shop","auth","keys"');
  for (const key of keys) expect([inFile.includes(key), given.includes(key)]).toEqual([false, false]);
});

test("a proposed change shows its lines and its problems, and changes nothing", async () => {
  const { call, file } = await adapter();
  const good = await call("POST", "/propose", { changes: [{ path: url, value: "http://127.0.0.1:10/hook" }] });
  expect(good.json).toMatchObject({ problems: [] } satisfies Partial<ProposedChange>);
  expect((good.json as ProposedChange).diff).toEqual(
    [
      "@@ 6",
      "    erp:",
      "      type: webhook",
      "-     url: http://127.0.0.1:9/hook",
      "+     url: http://127.0.0.1:10/hook",
      "      secrets: [***]",
      "",
    ].map((line) => line.trimEnd()),
  );
  const bad = await call("POST", "/propose", { changes: [{ path: ["serve", "workOrders"], value: "erp" }] });
  expect((bad.json as ProposedChange).problems).toHaveLength(1);
  expect(file()).toBe(first);
});

test("a section that is changed as it was shown keeps its hidden secrets, and no mask is written over one", async () => {
  const { call, file, version } = await adapter(
    first.replace("    secrets:", "    headers: { authorization: Bearer-0123456789, x-site: vienna }\n    secrets:"),
  );
  const path = ["connectors", "erp", "headers"];
  const { values } = (await call("GET", "")).json as ShownConfig;
  const shown = values.filter((one) => one.path.join(".").startsWith(path.join("."))).map(({ value }) => value);
  expect(shown).toEqual(["***", "vienna"]);
  const yaml = 'authorization: "***"\nx-site: berlin';
  await call("POST", "/apply", { ...by, changes: [{ path, yaml }], version: await version() });
  expect(file()).toContain("Bearer-0123456789");
  expect(file()).toContain("x-site: berlin");
  const after = file();
  for (const change of [
    { path: [...path, "x-other"], value: "***" },
    { path: ["connectors", "erp", "secrets"], yaml: '["***", "***"]' },
  ]) {
    const answer = await call("POST", "/apply", { ...by, changes: [change], version: await version() });
    expect(answer).toMatchObject({ status: 409 });
    expect(answer.text).toContain("stands for a hidden secret");
  }
  expect(file()).toBe(after);
});

test("an applied change is in the file with its comments and in effect at once, and one step leads back", async () => {
  const { call, file, version } = await adapter();
  const changes = [{ path: ["timeZone"], value: "Europe/Berlin" }];
  const applied = await call("POST", "/apply", { ...by, changes, version: await version() });
  expect(applied).toMatchObject({
    status: 200,
    json: { opened: ["erp"], needsRestart: [] } satisfies Partial<AppliedChange>,
  });
  expect(file()).toBe(first.replace("Vienna", "Berlin"));
  expect(((await call("GET", "")).json as ShownConfig).values).toContainEqual(
    expect.objectContaining({ path: ["timeZone"], value: "Europe/Berlin" }),
  );
  expect((await call("GET", "/history")).json).toMatchObject({ earlier: [by] });
  expect((await call("POST", "/back", { ...by, version: await version() })).status).toBe(200);
  expect(file()).toBe(first);
});

test("the audit names who changed the configuration, undid a change or kept a secret; what was refused is not in it", async () => {
  const { call, version } = await adapter();
  const changes = [{ path: ["timeZone"], value: "Europe/Berlin" }];
  await call("POST", "/apply", { ...by, changes: [{ path: ["typo"], value: 1 }], version: await version() });
  await call("POST", "/apply", { ...by, changes, version: "another" });
  await call("POST", "/apply", { ...by, changes, version: await version() });
  await call("POST", "/secrets", { operator: "kim", name: "erp-token", value: "never-shown" });
  await call("POST", "/back", { ...by, version: await version() });
  const { json, text } = await call("GET", "/../audit");
  const { actions } = json as { actions: { at: string }[] };
  expect(actions.map(({ at: _, ...one }) => one)).toEqual([
    { ...by, action: "config-back", subject: "" },
    { operator: "kim", action: "secret", subject: "erp-token", reason: null },
    { ...by, action: "config", subject: "timeZone" },
  ]);
  expect(text).not.toContain("never-shown");
});

test("a change of an outdated version is refused: somebody else has changed the file", async () => {
  const { call, path, version } = await adapter();
  const old = await version();
  writeFileSync(path, `${first}# by hand\n`);
  const refused = await call("POST", "/apply", {
    ...by,
    changes: [{ path: url, value: "http://127.0.0.1:1" }],
    version: old,
  });
  expect(refused).toMatchObject({ status: 409, json: { detail: expect.stringContaining("changed meanwhile") } });
  expect(readFileSync(path, "utf8")).toContain("# by hand");
});

test("a change that is not valid is refused as a whole, and the file stays", async () => {
  const { call, file, version } = await adapter();
  const changes = [
    { path: ["timeZone"], value: "Europe/Berlin" },
    { path: [...url.slice(0, -1), "typo"], value: 1 },
  ];
  const { json } = await call("POST", "/apply", { ...by, changes, version: await version() });
  expect(json).toMatchObject({ problems: [{ text: expect.stringContaining("typo") }] });
  expect(file()).toBe(first);
});

test("a connector is tried before it is in the file: problems, records and what it would be sent", async () => {
  const { call, file } = await adapter();
  const changes = [{ path: ["events", "to"], value: "erp" }];
  const { json, text } = await call("POST", "/try", { changes, connector: "erp", records: 1 });
  expect(json).toMatchObject({ name: "erp", type: "webhook", errors: [expect.any(String)] });
  expect((json as { events: object[] }).events.length).toBeGreaterThan(5);
  expect(text).not.toContain("bm90LWEtcmVhbC1z");
  expect(file()).toBe(first);
});

test("without a file the first change creates it", async () => {
  const { call, file, version } = await adapter(null);
  const changes = [
    { path: ["connectors", "erp"], value: { type: "webhook", url: "http://127.0.0.1:9/", secrets: [reference] } },
  ];
  expect((await call("POST", "/apply", { ...by, changes, version: await version() })).status).toBe(200);
  expect(file()).toBe(
    `connectors:\n  erp:\n    type: webhook\n    url: http://127.0.0.1:9/\n    secrets:\n      - ${reference}\n`,
  );
});

test("a secret is kept in a file that only its owner can read, and never shown", async () => {
  const { call, folder } = await adapter();
  const { json } = await call("POST", "/secrets", { name: "erp-token", value: "another-secret" });
  expect(json).toEqual({ reference: "file:secrets/erp-token" });
  const path = join(folder, "secrets", "erp-token");
  expect(readFileSync(path, "utf8")).toBe("another-secret");
  if (hasFileModes) expect(statSync(path).mode & 0o777).toBe(0o600);
  for (const name of ["../x", "", "a/b", ".x", "x".repeat(65)]) {
    expect((await call("POST", "/secrets", { name, value: "x" })).status).toBe(400);
  }
});

test("a secret that is there is never replaced: what runs uses it until the change is applied, and again after a step back", async () => {
  const { call, folder, file, version } = await adapter();
  const secret = async (value: string) => {
    const { json } = await call("POST", "/secrets", { name: "erp-key", value });
    return (json as { reference: string }).reference;
  };
  const kept = (reference: string) => readFileSync(join(folder, reference.replace("file:", "")), "utf8");
  const path = ["connectors", "erp", "headers", "x-key"];
  const apply = async (value: unknown) => {
    const changes = [{ path, value }];
    expect((await call("POST", "/apply", { ...by, changes, version: await version() })).json).toHaveProperty("version");
  };
  const first = await secret("the-first-secret");
  await apply(first);
  expect(await secret("the-first-secret")).toBe(first);
  const typed = ["the-second-secret", "the-third-secret"];
  const references = await Promise.all(typed.map(secret));
  expect([first, ...references].map(kept)).toEqual(["the-first-secret", ...typed]);
  await apply(references[0]);
  expect(file()).not.toContain(`x-key: ${first}\n`);
  await call("POST", "/back", { ...by, version: await version() });
  expect(file()).toContain(`x-key: ${first}\n`);
});

test("a file kept in git is shown with the change to copy, and never written", async () => {
  const { call, folder, file, version } = await adapter();
  mkdirSync(join(folder, ".git"));
  const index = join(folder, ".git", "index");
  writeFileSync(index, `DIRC${"x".repeat(200_000)}other.yaml\0`);
  expect((await call("GET", "")).json).toMatchObject({ readOnlyBecause: null });
  // A long index is read in pieces of 64 KiB, and a name may be split between two of them.
  writeFileSync(index, `${"x".repeat(65_536 - 5)}crossdock.yaml\0${"x".repeat(70_000)}`);
  expect((await call("GET", "")).json).toMatchObject({ readOnlyBecause: "kept-in-git" });
  const changes = [{ path: ["timeZone"], value: "Europe/Berlin" }];
  expect((await call("POST", "/propose", { changes })).json).toMatchObject({ problems: [] });
  const refused = await call("POST", "/apply", { ...by, changes, version: await version() });
  expect(refused).toMatchObject({ status: 409, json: { detail: expect.stringContaining("kept in git") } });
  expect(file()).toBe(first);
});

test("a file in a worktree or a submodule is kept in git as well, and an index that shortens names may name it", async () => {
  const { call, folder } = await adapter();
  mkdirSync(join(folder, "repository"));
  writeFileSync(join(folder, ".git"), "gitdir: repository\n");
  const index = join(folder, "repository", "index");
  writeFileSync(index, "DIRC\0\0\0\x02other.yaml\0");
  expect((await call("GET", "")).json).toMatchObject({ readOnlyBecause: null });
  writeFileSync(index, "DIRC\0\0\0\x02crossdock.yaml\0");
  expect((await call("GET", "")).json).toMatchObject({ readOnlyBecause: "kept-in-git" });
  writeFileSync(index, "DIRC\0\0\0\x04cross");
  expect((await call("GET", "")).json).toMatchObject({ readOnlyBecause: "kept-in-git" });
});

test("a file that cannot be replaced stays as it was, and is no state to return to", async () => {
  const { call, path, file, version } = await adapter();
  mkdirSync(`${path}.new`);
  const changes = [{ path: ["timeZone"], value: "UTC" }];
  const refused = await call("POST", "/apply", { ...by, changes, version: await version() });
  expect(refused).toMatchObject({ status: 409, json: { detail: expect.stringContaining("Copy the change") } });
  expect(file()).toBe(first);
  expect((await call("GET", "/history")).json).toEqual({ earlier: [] });
});

test("a secret that cannot be kept is refused with what to do, and leaves nothing behind", async () => {
  const { call, folder } = await adapter();
  mkdirSync(join(folder, "secrets", "token.new"), { recursive: true });
  const refused = await call("POST", "/secrets", { ...by, name: "token", value: "s3cret" });
  expect(refused).toMatchObject({ status: 409, json: { detail: expect.stringContaining("may not write") } });
  expect(readdirSync(join(folder, "secrets"))).toEqual(["token.new"]);
  expect(whyNotWritten(Object.assign(new Error("no space left on device"), { code: "ENOSPC" }))).toContain("Make room");
});

test("a reference to a secret stands in the proposed text as it is written", async () => {
  const { call } = await adapter();
  const changes = [{ path: ["connectors", "erp", "secrets"], value: [reference] }];
  const { json } = await call("POST", "/propose", { changes });
  expect((json as ProposedChange).text).toContain(reference);
});

test("problems and what can be connected are in the language of the request, and say where they are not", async () => {
  const { call } = await adapter();
  const changes = [
    { path: ["serve", "items"], value: "erb" },
    { path: ["events", "concurrency"], value: "many" },
    { path: ["connectors", "erp", "url"], value: 7 },
  ];
  const { json } = await call("POST", "/propose", { changes }, "de");
  const { problems } = json as ProposedChange;
  expect(problems.toSorted((a, b) => a.text.localeCompare(b.text))).toMatchObject([
    { text: expect.stringMatching(/^connectors\.erp\.url: muss /), language: "de" },
    { text: expect.stringMatching(/^events\.concurrency: muss /), language: "de" },
    { text: 'serve.items: es gibt keine Verbindung "erb"', hint: expect.stringMatching(/^Meinten Sie erp\? Es gibt /) },
  ]);
  expect((await call("GET", "/connectable", undefined, "fr")).text).toContain("Une connexion de votre cru");
});

testIf(hasFileModes)("the file keeps its permissions", async () => {
  const { call, path, version } = await adapter();
  chmodSync(path, 0o644);
  await call("POST", "/apply", { ...by, changes: [{ path: ["timeZone"], value: "UTC" }], version: await version() });
  expect(statSync(path).mode & 0o777).toBe(0o644);
});

test("what can be connected is listed with the schema of its options", async () => {
  const { call } = await adapter();
  const { json } = await call("GET", "/connectable");
  expect(json).toMatchObject({
    kinds: expect.arrayContaining([expect.objectContaining({ type: "http", options: expect.any(Object) })]),
    presets: expect.arrayContaining([expect.objectContaining({ name: "erpnext" })]),
  });
});

const malformed = ["x", [{}], [{ path: "timeZone", value: 1 }], [{ path: [] }]];
test("malformed changes are refused", async () => {
  const { call } = await adapter();
  for (const changes of malformed) expect((await call("POST", "/propose", { changes })).status).toBe(400);
});

test("a file that was broken by hand is named with its problem, and changed by nobody", async () => {
  const { call, path, file, version } = await adapter();
  writeFileSync(path, 'timeZone: "UTC');
  expect((await call("GET", "")).json).toMatchObject({ values: [], problems: [{ line: 1 }] });
  expect((await call("POST", "/check", {})).json).toMatchObject({ ok: false, problems: [{ line: 1 }] });
  const changes = [{ path: ["timeZone"], value: "UTC" }];
  expect((await call("POST", "/apply", { ...by, changes, version: await version() })).json).toMatchObject({
    problems: [{ line: 1 }],
  });
  expect(file()).toBe('timeZone: "UTC');
});

test("a change that was undone leaves neither the file nor a state to return to", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "crossdock.yaml");
  writeFileSync(path, first);
  const kept = configFile({ path, dataFolder: folder });
  const { undo } = await kept.replace("timeZone: UTC\n", { ...by, at: new Date(0) });
  expect(kept.before()).toBe(first);
  await undo();
  expect({ text: readFileSync(path, "utf8"), history: kept.history() }).toEqual({ text: first, history: [] });
});

test("a state that was kept right before a kill, and never replaced, is none to return to", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "crossdock.yaml");
  writeFileSync(path, "timeZone: Europe/Vienna\n");
  const file = configFile({ path, dataFolder: folder });
  const by = (at: string) => ({ operator: "kim", reason: "try", at: new Date(at) });
  await file.replace("timeZone: Europe/Berlin\n", by("2026-01-05T08:00:00Z"));
  await file.replace("timeZone: Europe/Rome\n", by("2026-01-05T09:00:00Z"));
  // As after a kill between keeping the state and replacing the file.
  writeFileSync(path, "timeZone: Europe/Berlin\n");
  expect(file.history()).toHaveLength(1);
  expect(file.before()).toBe("timeZone: Europe/Vienna\n");
});

test("a refused change is taken back although the disk became full meanwhile", async ({ skip }) => {
  const missing = missingForSmallDisk();
  if (missing !== null) return skip(missing);
  const folder = temporaryFolder();
  runTool("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder);
  onTestFinished(() => unmountWhenFree(folder));
  const path = join(folder, "crossdock.yaml");
  writeFileSync(path, first);
  const kept = configFile({ path, dataFolder: folder });
  const { undo } = await kept.replace("timeZone: UTC\n", { ...by, at: new Date(0) });
  expect(() => writeFileSync(join(folder, "filler"), Buffer.alloc(2 ** 20))).toThrow("ENOSPC");
  await undo();
  expect({ text: readFileSync(path, "utf8"), history: kept.history() }).toEqual({ text: first, history: [] });
});

test("a change leaves no other file beside the configuration, and the first one that is undone none at all", async () => {
  const { folder, path, call, version } = await adapter();
  const before = readdirSync(folder);
  const changes = [{ path: ["timeZone"], value: "UTC" }];
  expect((await call("POST", "/apply", { ...by, changes, version: await version() })).status).toBe(200);
  expect(readdirSync(folder)).toEqual(before);
  rmSync(path);
  const { undo } = await configFile({ path, dataFolder: folder }).replace("timeZone: UTC\n", {
    ...by,
    at: new Date(0),
  });
  await undo();
  expect(existsSync(path)).toBe(false);
});
