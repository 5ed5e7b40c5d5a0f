import { execFile } from "node:child_process";
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test, vi } from "vitest";
import { main } from "../../src/cli/main.ts";
import { row, text } from "../../src/kit/sqlite/row.ts";
import { openDatabase } from "../../src/kit/sqlite/sqlite.ts";
import { apiKey, startAdapter } from "../support/adapter/adapter.ts";
import { receiver } from "../support/receivers/receiver.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { testIf } from "../support/test-if.ts";

const waiting = { timeout: 60_000, interval: 50 };

async function crossdock(folder: string, argv: readonly string[]) {
  const lines: string[] = [];
  const code = await main(argv, {
    ...{ print: (text) => lines.push(text), complain: (text) => lines.push(text) },
    ...{ isInteractive: false, colour: false, env: { CROSSDOCK_API_KEY: apiKey }, cwd: folder },
    untilStopped: () => Promise.resolve("SIGTERM"),
  });
  return { code, said: lines.join("\n") };
}

/** An adapter that is polled for, gets files dropped and is pushed to, all at once. */
async function busyAdapter() {
  const folder = temporaryFolder();
  const drop = join(folder, "drop");
  mkdirSync(drop);
  const polled: object[] = [];
  const erp = await receiver((response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ items: polled }));
  });
  const map = {
    ...{ number: "number", dueDate: "dueDate" },
    requests: { each: "requests", map: { itemNumber: "itemNumber", requestedAmount: "requestedAmount" } },
  };
  const poll = {
    topic: "workOrders",
    everySeconds: 1,
    path: "/",
    records: "items",
    map,
    since: { path: "changed", param: "since" },
  };
  const config = {
    connectors: {
      erp: { type: "http", baseUrl: new URL(erp.url).origin, poll: [poll] },
      files: {
        ...{ type: "files", location: folder },
        in: [{ topic: "workOrders", folder: "drop", everySeconds: 0, settleSeconds: 0 }],
      },
    },
  };
  const adapter = await startAdapter({ folder, config });
  const order = (number: string) => ({
    ...{ number, dueDate: "2030-01-31T08:00:00Z", requests: [{ itemNumber: "A-1", requestedAmount: 2 }] },
  });
  let changes = 0;
  const send = {
    poll: (number: string) => {
      polled.push({ ...order(number), changed: new Date(Date.UTC(2026, 0, 5) + 1000 * ++changes).toISOString() });
    },
    file: (number: string) =>
      writeFileSync(
        join(drop, `${number}.csv`),
        `number;dueDate;itemNumber;requestedAmount\r\n${number};2030-01-31;A-1;2\r\n`,
      ),
    push: async (number: string, url = adapter.url) => {
      const headers = { "content-type": "application/json", "x-api-key": apiKey };
      const answer = await fetch(`${url}/inbound/work-orders`, {
        method: "POST",
        headers,
        body: JSON.stringify(order(number)),
      });
      expect(answer.status).toBe(202);
    },
  };
  const numbersOf = async ({ client }: Pick<typeof adapter, "client">) =>
    ((await client.listWorkOrders()).data ?? []).map(({ number }) => number);
  return { folder, config, adapter, send, numbersOf };
}

test("after a backup under load is brought back, everything that comes again is taken", async () => {
  const { folder, config, adapter, send, numbersOf } = await busyAdapter();
  const sent: string[] = [];
  const sendRound = async (round: number, url?: string) => {
    send.poll(`P-${round}`);
    send.file(`F-${round}`);
    await send.push(`N-${round}`, url);
    for (const kind of ["P", "F", "N"]) if (!sent.includes(`${kind}-${round}`)) sent.push(`${kind}-${round}`);
  };
  let round = 0;
  let isOver = false;
  const load = (async () => {
    while (!isOver) {
      await sendRound(++round);
      await numbersOf(adapter);
    }
  })();
  await vi.waitFor(async () => expect((await numbersOf(adapter)).length).toBeGreaterThan(30), waiting);
  const made = await crossdock(folder, ["backup", "saved"]);
  expect(made.said).toMatch(/^saved: \d+ entries/);
  const atBackup = round;
  await vi.waitFor(() => expect(round).toBeGreaterThan(atBackup + 5), waiting);
  isOver = true;
  await load;
  await vi.waitFor(async () => expect((await numbersOf(adapter)).toSorted()).toEqual(sent.toSorted()), waiting);
  expect((await crossdock(folder, ["restore", "saved", "--yes"])).said).toContain("stop it first");
  await adapter.close();

  expect((await crossdock(folder, ["restore", "saved"])).said).toContain("add --yes");
  const restored = await crossdock(folder, ["restore", "saved", "--yes"]);
  expect(restored.said).toContain("was restored to its state of");
  const again = await startAdapter({ folder, config });
  expect((await numbersOf(again)).length).toBeLessThan(sent.length);
  // The ERP answers with the same orders as before; files are dropped and orders pushed once more.
  for (let nth = 1; nth <= round; nth++) await sendRound(nth, again.url);
  await vi.waitFor(async () => expect((await numbersOf(again)).toSorted()).toEqual(sent.toSorted()), waiting);
});

test("whatever a backup says was seen is in its journal", async () => {
  const { folder, adapter, send, numbersOf } = await busyAdapter();
  for (let nth = 1; nth <= 20; nth++) send.poll(`P-${nth}`);
  for (let nth = 1; nth <= 3; nth++) {
    send.file(`F-${nth}`);
    await crossdock(folder, ["backup", `saved-${nth}`]);
  }
  await vi.waitFor(async () => expect((await numbersOf(adapter)).length).toBe(23), waiting);
  await crossdock(folder, ["backup", "saved-4"]);
  for (let nth = 1; nth <= 4; nth++) {
    const rows = (file: string, sql: string) => {
      const database = openDatabase(join(folder, `saved-${nth}`, file), { readOnly: true });
      const found = database.query(sql, row({ number: text })).all();
      database.close();
      return found.map(({ number }) => number);
    };
    const journaled = new Set(
      rows("crossdock.db", "SELECT substr(lane, 4) AS number FROM entry_lane WHERE lane LIKE 'wo:%'"),
    );
    const seen = rows("intake.db", "SELECT number FROM seen");
    expect(seen.filter((number) => !journaled.has(number))).toEqual([]);
    if (nth === 4) expect(seen.length).toBe(23);
  }
});

test("a backup holds every database and the key, and nobody but its owner can read it", async () => {
  const { folder, adapter } = await busyAdapter();
  writeFileSync(join(folder, "data", "api-key"), "cd_kept\n");
  await crossdock(folder, ["backup", "saved"]);
  const inFolder = readdirSync(join(folder, "data")).filter((name) => name.endsWith(".db"));
  expect(readdirSync(join(folder, "saved")).toSorted()).toEqual([...inFolder, "api-key", "backup.json"].toSorted());
  if (process.platform !== "win32") {
    expect(statSync(join(folder, "saved")).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(join(folder, "saved"))) {
      expect(statSync(join(folder, "saved", name)).mode & 0o777, name).toBe(0o600);
    }
    for (const name of inFolder) expect(statSync(join(folder, "data", name)).mode & 0o777, name).toBe(0o600);
  }
  expect((await crossdock(folder, ["backup", "saved"])).said).toContain("already exists");
  await adapter.close();
});

test("a damaged backup is refused before anything is replaced", async () => {
  const { folder, config, adapter, send, numbersOf } = await busyAdapter();
  await send.push("N-1");
  await crossdock(folder, ["backup", "saved"]);
  await adapter.close();
  const file = join(folder, "saved", "crossdock.db");
  const bytes = readFileSync(file);
  bytes[bytes.length - 100] = (bytes[bytes.length - 100] ?? 0) ^ 1;
  writeFileSync(file, bytes);
  const refused = await crossdock(folder, ["restore", "saved", "--yes"]);
  expect(refused).toMatchObject({ code: 1, said: expect.stringContaining("has changed since it was written") });
  expect(existsSync(join(folder, "data", "before-restore-1"))).toBe(false);
  expect(await numbersOf(await startAdapter({ folder, config }))).toEqual(["N-1"]);
});

test.each([
  "null",
  "[]",
  "{}",
  '{"format":1}',
  '{"format":1,"files":null}',
  '{"format":1,"files":"crossdock.db"}',
  '{"format":1,"files":[null]}',
  '{"format":1,"files":[{"name":"../crossdock.db","bytes":0,"sha256":""}]}',
  '{"format":1,"files":[{"name":["crossdock.db"],"bytes":0,"sha256":""}]}',
  '{"format":1,"files":[{"name":"crossdock.db"}]}',
])("a backup whose list of files is damaged is named as such: %s", async (manifest) => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "saved"));
  writeFileSync(join(folder, "saved", "backup.json"), manifest);
  const refused = await crossdock(folder, ["restore", "saved", "--yes"]);
  expect(refused).toMatchObject({ code: 1, said: expect.stringContaining("backup.json is damaged") });
});

test("a folder whose restore was broken off is not started as if it were new", async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "data"));
  writeFileSync(join(folder, "data", "restore-unfinished"), "");
  await expect(startAdapter({ folder })).rejects.toThrow("was interrupted");
});

testIf(process.getuid?.() === 0)("a data folder that root has restored still belongs to its user", async () => {
  const { folder, adapter } = await busyAdapter();
  await crossdock(folder, ["backup", "saved"]);
  await adapter.close();
  const data = join(folder, "data");
  const files = () => readdirSync(data, { recursive: true, encoding: "utf8" }).map((name) => join(data, name));
  for (const path of [data, ...files()]) chownSync(path, 65_534, 65_534);
  expect(await crossdock(folder, ["restore", "saved", "--yes"])).toMatchObject({ code: 0 });
  expect(files().length).toBeGreaterThan(5);
  expect(files().filter((path) => statSync(path).uid !== 65_534)).toEqual([]);
});

test("the documented command works for a user without a home folder, also where no adapter runs", async () => {
  const { folder, adapter } = await busyAdapter();
  await adapter.close();
  const program = resolve(import.meta.dirname, "../../bin/crossdock.js");
  const env = { PATH: "/usr/bin:/bin", HOME: "/nonexistent" };
  const command = [program, "backup", join(folder, "saved"), "--data", join(folder, "data")];
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: "/", env });
  expect(stdout).toContain("entries");
  const old = await promisify(execFile)(process.execPath, [program, "journal", "backup", "x.db"], {
    cwd: folder,
    env,
  }).catch((error: { stderr: string }) => error);
  expect(old.stderr).toContain("crossdock backup FOLDER");
});

test("a backup and a restore need no key, also while the adapter runs with one that is not in its folder", async () => {
  const { folder, adapter } = await busyAdapter();
  const lines: string[] = [];
  const command = (...argv: string[]) =>
    main(argv, {
      ...{ print: (text) => lines.push(text), complain: (text) => lines.push(text) },
      ...{ isInteractive: false, colour: false, env: {}, cwd: folder },
      untilStopped: () => Promise.resolve("SIGTERM"),
    });
  expect([await command("backup", "saved"), lines.join("\n")]).toEqual([0, expect.stringContaining("entries")]);
  expect(await command("restore", "saved", "--yes")).toBe(1);
  expect(lines.at(-1)).toContain("stop it first");
  await adapter.close();
});
