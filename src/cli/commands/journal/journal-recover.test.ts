import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { apiKey } from "../../../../test/support/adapter/adapter.ts";
import { spawnAdapter } from "../../../../test/support/adapter/child-adapter.ts";
import { builtProgram } from "../../../../test/support/built-program.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { createClient } from "../../../contract/derive/client.ts";
import { integer, row, text } from "../../../kit/sqlite/row.ts";
import { openDatabase } from "../../../kit/sqlite/sqlite.ts";
import { readLog } from "../../../kit/sqlite/sqlite-log.ts";

const count = 60;
const orders = Array.from({ length: count }, (_, nth) => `R-${nth + 1}`);

async function place(url: string, numbers: readonly string[]) {
  const client = createClient({ baseUrl: url, apiKey });
  for (const workOrderNumber of numbers) {
    const placed = await client.confirmPutWallPlacement({ workOrderNumber, itemNumber: "A-1", completedAmount: 1 });
    expect(placed.isResultSuccess).toBe(true);
  }
}

/** A data folder after kill -9, with 60 acknowledged entries; those that were not stored before a stop are in its log. */
async function killedFolder({ beforeStop = 0 } = {}) {
  const folder = temporaryFolder();
  if (beforeStop > 0) {
    const earlier = await spawnAdapter(folder);
    await place(earlier.url, orders.slice(0, beforeStop));
    await earlier.end("SIGTERM");
  }
  const adapter = await spawnAdapter(folder);
  await place(adapter.url, orders.slice(beforeStop));
  await adapter.end("SIGKILL");
  const data = join(folder, "data");
  /** Runs a command as a person does, in the folder of the configuration. */
  const crossdock = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [builtProgram(), ...args], {
      cwd: folder,
      env: {
        ...process.env,
        PORT: "0",
        CROSSDOCK_API_KEY: apiKey,
        CROSSDOCK_DATA_DIR: data,
        CROSSDOCK_SAMPLE: "false",
      },
      encoding: "utf8",
      timeout: 120_000,
    });
    return { status, output: stdout + stderr };
  };
  return { folder, data, log: join(data, "crossdock.db-wal"), crossdock };
}

function storedOrders(data: string): string[] {
  const database = openDatabase(join(data, "crossdock.db"), { readOnly: true });
  try {
    const lanes = database.query("SELECT lane FROM entry_lane ORDER BY seq", row({ lane: text })).all();
    return lanes.map(({ lane }) => lane.replace("wo:", ""));
  } finally {
    database.close();
  }
}

test("a start on a log that was cut off names the command, which recovers every entry that is left", async () => {
  const { folder, data, log, crossdock } = await killedFolder();
  truncateSync(log, Math.floor(statSync(log).size / 2));
  const cut = readFileSync(log);

  const refused = crossdock("start");
  expect(refused.status).not.toBe(0);
  const [, from = "", to = ""] = /the acknowledged entries (\d+) to (\d+) are missing/.exec(refused.output) ?? [];
  expect(refused.output).toContain("crossdock journal recover");
  expect([Number(from) > 1, Number(to)]).toEqual([true, count]);

  const shown = crossdock("journal", "recover");
  expect(shown.status).toBe(0);
  expect(shown.output).toContain(`lost: ${from} to ${to} (${count - Number(from) + 1})`);
  expect(shown.output).toContain("crossdock journal recover --yes");
  expect(readFileSync(log).equals(cut)).toBe(true);
  expect(readdirSync(data).filter((name) => name.startsWith("damaged"))).toEqual([]);

  const done = crossdock("journal", "recover", "--yes");
  expect(done).toMatchObject({ status: 0, output: expect.stringMatching(/Done\. .*damaged-1.*crossdock start/) });
  expect(readFileSync(join(data, "damaged-1", "crossdock.db-wal")).equals(cut)).toBe(true);
  expect(crossdock("journal", "recover").output).toContain("nothing is damaged");

  const left = orders.slice(0, Number(from) - 1);
  const adapter = await spawnAdapter(folder);
  // What was lost is sent again and accepted; numbers of lost entries are not used again.
  await place(adapter.url, orders.slice(left.length));
  expect(await adapter.end("SIGTERM")).toBe(0);
  expect(storedOrders(data)).toEqual(orders);
});

test("a damaged byte in the middle of the log is recovered without a loss", async () => {
  const { folder, data, log, crossdock } = await killedFolder();
  const bytes = readFileSync(log);
  const frame = 24 + 4096;
  const at = 32 + frame * Math.floor(bytes.length / frame / 2) + 24 + 100;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(log, bytes);
  expect(crossdock("start").output).toContain("crossdock journal recover");
  expect(crossdock("journal", "recover", "--yes").output).toContain(`all entries up to ${count} can be recovered`);
  const adapter = await spawnAdapter(folder);
  expect(await adapter.end("SIGTERM")).toBe(0);
  expect(storedOrders(data)).toEqual(orders);
});

test("a log and a witness that were both removed are noticed by the notes on answers", async () => {
  const beforeStop = 20;
  const { folder, data, crossdock } = await killedFolder({ beforeStop });
  for (const end of ["-wal", "-shm", ".witness"]) rmSync(join(data, `crossdock.db${end}`), { force: true });
  const refused = crossdock("start");
  expect(refused.status).not.toBe(0);
  const [, from, to] =
    /it ends with entry (\d+); the acknowledged entries \d+ to at least (\d+) are missing/.exec(refused.output) ?? [];
  expect(Number(from)).toBe(beforeStop);
  // The kill may come before the notes on the last few answers.
  expect(Number(to)).toBeGreaterThanOrEqual(count - 4);
  expect(refused.output).toContain("crossdock journal recover");
  expect(crossdock("journal", "recover", "--yes").output).toContain(
    `lost: ${beforeStop + 1} to at least ${to} (${Number(to) - beforeStop} or more)`,
  );
  expect(storedOrders(data)).toEqual(orders.slice(0, beforeStop));
  const adapter = await spawnAdapter(folder);
  await place(adapter.url, orders.slice(beforeStop));
  expect(await adapter.end("SIGTERM")).toBe(0);
  expect(storedOrders(data)).toEqual(orders);
});

test("a folder whose database is gone keeps its log, is told what is there, and is recovered from it", async () => {
  const { folder, data, log, crossdock } = await killedFolder();
  for (const end of ["", "-shm", ".witness", ".sums", ".answers"]) rmSync(join(data, `crossdock.db${end}`));
  rmSync(join(data, "journal-mark"));
  const before = readFileSync(log);
  const refused = crossdock("start");
  expect(refused.status).not.toBe(0);
  expect(refused.output).toMatch(/crossdock\.db is missing.*crossdock\.db-wal/);
  expect(refused.output).toContain("crossdock journal recover");
  expect(readFileSync(log).equals(before)).toBe(true);
  // Everything that knew the last entry is gone.
  expect(crossdock("journal", "recover", "--yes").output).toContain(
    `entries up to ${count} can be recovered; whether there were later ones is not known`,
  );
  const adapter = await spawnAdapter(folder);
  expect(await adapter.end("SIGTERM")).toBe(0);
  expect(storedOrders(data)).toEqual(orders);
});

test("a loss of which only the mark tells is named as the least that it is", async () => {
  const beforeStop = 20;
  const { data, crossdock } = await killedFolder({ beforeStop });
  for (const end of ["-wal", "-shm", ".witness", ".answers"]) rmSync(join(data, `crossdock.db${end}`), { force: true });
  const refused = crossdock("start").output;
  const [, to = ""] = /the acknowledged entries 21 to at least (\d+) are missing/.exec(refused) ?? [];
  expect(Number(to)).toBeGreaterThan(beforeStop);
  expect(Number(to)).toBeLessThanOrEqual(count);
  expect(crossdock("journal", "recover").output).toContain(
    `entries up to 20 can be recovered; lost: 21 to at least ${to} (${Number(to) - beforeStop} or more)`,
  );
});

test("where the database cannot be built from its log, what is there and what to do is said", async () => {
  const { data, crossdock } = await killedFolder({ beforeStop: 40 });
  rmSync(join(data, "crossdock.db"));
  const { status, output } = crossdock("journal", "recover", "--yes");
  expect(status).not.toBe(0);
  expect(output).toMatch(/crossdock\.db-wal has \d+ of its \d+ pages/);
  expect(output).toMatch(/Next: .*put crossdock\.db back.*crossdock restore FOLDER/);
});

/** Pages of a table's leaves that are in the database only. */
function leavesOutsideLog(data: string, table: string): number[] {
  const file = join(data, "crossdock.db");
  const inLog = readLog(`${file}-wal`)?.pages ?? new Set();
  const copy = join(temporaryFolder(), "copy.db");
  copyFileSync(file, copy);
  const database = openDatabase(copy, { readOnly: true });
  try {
    const leaves = database.query("SELECT pageno AS page FROM dbstat WHERE name = ? AND pagetype = 'leaf'", pageRow);
    return leaves.all(table).flatMap(({ page }) => (inLog.has(page) ? [] : [page]));
  } finally {
    database.close();
  }
}
const pageRow = row({ page: integer });

test("one damaged page of the database costs the entries on it, and all others are recovered", async () => {
  const { folder, data, crossdock } = await killedFolder({ beforeStop: 58 });
  const file = join(data, "crossdock.db");
  const [page = 0] = leavesOutsideLog(data, "entry");
  expect(page).toBeGreaterThan(0);
  const bytes = readFileSync(file);
  bytes.fill(0, (page - 1) * 4096, page * 4096);
  writeFileSync(file, bytes);
  expect(crossdock("start").output).toContain("crossdock.db: 1 page not as written");

  const shown = crossdock("journal", "recover");
  expect(shown.output).toMatch(/entries up to 60 can be recovered, except 1 to \d+ \(\d+\)/);
  const [, to = ""] = /Entries lost: 1 to (\d+) \(\d+\)\. What they have booked stays booked/.exec(shown.output) ?? [];
  expect(Number(to)).toBeGreaterThan(0);
  expect(Number(to)).toBeLessThan(count);
  expect(readFileSync(file).equals(bytes)).toBe(true);

  expect(crossdock("journal", "recover", "--yes").output).toMatch(/Done\. .*damaged-1.*crossdock start/);
  expect(readFileSync(join(data, "damaged-1", "crossdock.db")).equals(bytes)).toBe(true);
  expect(crossdock("journal", "recover").output).toContain("nothing is damaged");
  const adapter = await spawnAdapter(folder);
  await place(adapter.url, ["R-61"]);
  expect(await adapter.end("SIGTERM")).toBe(0);
  expect(storedOrders(data)).toEqual([...orders.slice(Number(to)), "R-61"]);
});

test("a folder without a journal is not called undamaged", () => {
  for (const name of ["empty", "missing"]) {
    const folder = temporaryFolder();
    const data = join(folder, name);
    if (name === "empty") mkdirSync(data);
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [builtProgram(), "journal", "recover", "--data", data],
      { cwd: folder, encoding: "utf8" },
    );
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(`${data} has no journal`);
    expect(stderr).toMatch(/Next: .*--data/);
    expect(readdirSync(folder)).toEqual(name === "empty" ? ["empty"] : []);
  }
});
