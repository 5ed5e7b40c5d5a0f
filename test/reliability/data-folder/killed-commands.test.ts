import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, readdirSync, rmSync, statSync, truncateSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { recoverFolder } from "../../../src/app/backup/recover-folder.ts";
import { restore } from "../../../src/app/backup/restore-backup.ts";
import { refuseUnfinished } from "../../../src/app/backup/unfinished.ts";
import { backUp } from "../../../src/app/backup/write-backup.ts";
import { refuseMovedFolder } from "../../../src/app/move/move-marks.ts";
import { openKnownRecords } from "../../../src/engine/quarantine/open-known-records.ts";
import { intakeFile } from "../../../src/engine/quarantine/open-quarantine.ts";
import type { NewEntry } from "../../../src/journal/entry.ts";
import { openSqliteJournal } from "../../../src/journal/sqlite/open-sqlite-journal.ts";
import { silentLog } from "../../../src/kit/log.ts";
import { openSideDatabase } from "../../../src/kit/sqlite/side-database.ts";
import { openDatabase } from "../../../src/kit/sqlite/sqlite.ts";
import { manualClock } from "../../../src/kit/time/clock.ts";
import { startAdapter } from "../../support/adapter/adapter.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const program = resolve(import.meta.dirname, "../../fixtures/killed-command.ts");
const clock = manualClock();
const entry = (nth: number): NewEntry => ({
  ...{ id: `evt_${nth}`, direction: "in", topic: "workOrders", lanes: [`wo:${nth}`], receivedAt: clock.now() + nth },
  ...{ body: JSON.stringify({ nth }), payload: null, acceptLanguage: null },
});

async function appendTo(folder: string, { from, to }: { from: number; to: number }) {
  const journal = await openSqliteJournal({ databaseFile: join(folder, "crossdock.db") });
  for (let nth = from; nth <= to; nth++) await journal.append([entry(nth)]);
  return journal;
}

/** Marks each record as seen, as a poll does. */
function noteSeen(folder: string, { to }: { to: number }): void {
  const side = openSideDatabase(intakeFile, { dataFolder: folder, log: silentLog });
  const numbers = Array.from({ length: to }, (_, index) => String(index + 1));
  openKnownRecords({ database: side, clock }).remember(
    numbers.map((number) => ({ source: "erp", topic: "workOrders", number, part: "", digest: "d" })),
  );
  side.close();
}

/** What a start would go on with; null if the start is refused. */
async function startedWith(folder: string): Promise<{ entries: number; next: number; seen: number } | null> {
  try {
    refuseUnfinished(folder);
    const journal = await openSqliteJournal({ databaseFile: join(folder, "crossdock.db") });
    const entries = journal.read.list({ limit: 100 }).length;
    const [added] = await journal.append([entry(99)]);
    await journal.close();
    const side = openDatabase(join(folder, "intake.db"), { readOnly: true });
    const seen = side.statement("SELECT number FROM seen").all().length;
    side.close();
    return { entries, next: added !== undefined && "seq" in added ? added.seq : 0, seen };
  } catch {
    return null;
  }
}

/** Kills the command before each of its steps, and finishes it afterwards. Returns how many steps there are. */
async function killAtEveryStep(
  damaged: string,
  {
    command,
    again,
    allowed,
    wanted,
  }: {
    command: (folder: string, nth: number) => readonly string[];
    again: (folder: string) => Promise<unknown>;
    allowed: readonly object[];
    wanted: object;
  },
): Promise<number> {
  for (let nth = 1; ; nth++) {
    const folder = join(temporaryFolder(), "data");
    cpSync(damaged, folder, { recursive: true });
    const { signal, status, stderr } = spawnSync(process.execPath, [program, ...command(folder, nth)], {
      encoding: "utf8",
    });
    if (signal === null) {
      expect({ status, stderr }).toMatchObject({ status: 0 });
      expect(await startedWith(folder)).toEqual(wanted);
      return nth - 1;
    }
    const looked = `${folder}-looked`;
    cpSync(folder, looked, { recursive: true });
    const started = await startedWith(looked);
    if (started !== null) expect(allowed, `started after step ${nth}`).toContainEqual(started);
    await again(folder);
    expect(await startedWith(folder), `finished after step ${nth}`).toEqual(wanted);
  }
}

test("a recovery that is killed at any step is finished by the same command, and loses nothing more", async () => {
  const living = temporaryFolder();
  const journal = await appendTo(living, { from: 1, to: 40 });
  const damaged = temporaryFolder();
  for (const part of ["", "-wal", "-shm", ".witness", ".sums", ".answers"]) {
    copyFileSync(join(living, `crossdock.db${part}`), join(damaged, `crossdock.db${part}`));
  }
  await journal.close();
  const log = join(damaged, "crossdock.db-wal");
  truncateSync(log, Math.floor(statSync(log).size / 2));
  noteSeen(damaged, { to: 40 });
  const { missing } = recoverFolder(damaged, { isMeant: false })?.best ?? { missing: null };
  const wanted = { entries: (missing?.from ?? 0) - 1, next: 41, seen: 0 };
  expect(wanted.entries).toBeGreaterThan(0);
  const steps = await killAtEveryStep(damaged, {
    ...{ allowed: [wanted], wanted },
    command: (folder, nth) => ["recover", folder, String(nth)],
    again: async (folder) => recoverFolder(folder, { isMeant: true }),
  });
  expect(steps).toBeGreaterThan(5);
});

test("a start removes what a restore or a move was building when it was killed before it replaced anything", async () => {
  const folder = temporaryFolder();
  const data = join(folder, "data");
  mkdirSync(data);
  await (await appendTo(data, { from: 1, to: 3 })).close();
  for (const name of ["restore.part", "move.part"]) {
    mkdirSync(join(data, name));
    copyFileSync(join(data, "crossdock.db"), join(data, name, "crossdock.db"));
  }
  const adapter = await startAdapter({ folder });
  expect(readdirSync(data).filter((name) => name.endsWith(".part"))).toEqual([]);
  await adapter.close();
  expect(await startedWith(data)).toMatchObject({ entries: 3, seen: 0 });
});

test("a folder that was empty is not started empty while a restore or a move into it is unfinished", () => {
  const folder = temporaryFolder();
  for (const [name, what] of [
    ["restore.part", "a restore of this data folder was interrupted"],
    ["move.part", "a move into this data folder was interrupted"],
  ] as const) {
    mkdirSync(join(folder, name));
    const start = () => {
      refuseUnfinished(folder);
      refuseMovedFolder(folder, null);
    };
    expect(start).toThrow(what);
    rmSync(join(folder, name), { recursive: true });
    expect(start).not.toThrow();
  }
});

test("a restore that is killed at any step leaves the old data, or is finished by the same command", async () => {
  const living = temporaryFolder();
  await (await appendTo(living, { from: 1, to: 10 })).close();
  noteSeen(living, { to: 10 });
  const saved = join(temporaryFolder(), "saved");
  await backUp({ dataFolder: living, target: saved, now: clock.now() });
  await (await appendTo(living, { from: 11, to: 30 })).close();
  noteSeen(living, { to: 30 });
  const wanted = { entries: 10, next: 11, seen: 10 };
  const steps = await killAtEveryStep(living, {
    ...{ allowed: [wanted, { entries: 30, next: 31, seen: 30 }], wanted },
    command: (folder, nth) => ["restore", folder, String(nth), saved],
    again: (folder) => restore(folder, saved),
  });
  expect(steps).toBeGreaterThan(10);
});
