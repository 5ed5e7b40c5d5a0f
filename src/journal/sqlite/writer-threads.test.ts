import { existsSync } from "node:fs";
import { join } from "node:path";
import { MessageChannel, type Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { manualClock } from "../../kit/time/clock.ts";
import { manualTimers } from "../../kit/time/timers.ts";
import { newEntry } from "../suite/journal-check.ts";
import { openSqliteJournal } from "./open-sqlite-journal.ts";
import { type PreparedWriter, prepareWriter, startWriterThread, type WriterPort } from "./prepare-writer.ts";
import { hostWriter } from "./writer/host-writer.ts";
import type { FromWriter } from "./writer/writer-messages.ts";
import { writerThreads } from "./writer-threads.ts";

/** Real threads, which are counted. */
function counted(most: number, endWhenIdle?: Parameters<typeof writerThreads>[0]["endWhenIdle"]) {
  const started: ReturnType<typeof startWriterThread>[] = [];
  const threads = writerThreads({
    ...{ most, endWhenIdle },
    start: (modules) => {
      const thread = startWriterThread(modules);
      started.push(thread);
      return thread;
    },
  });
  onTestFinished(threads.close);
  const open = async () => {
    const databaseFile = join(temporaryFolder(), "crossdock.db");
    const journal = await openSqliteJournal({ databaseFile, thread: threads.prepare([]) });
    let isOpen = true;
    const close = async () => {
      if (isOpen) await journal.close();
      isOpen = false;
    };
    onTestFinished(close);
    return { ...journal, close, databaseFile };
  };
  return { threads, started, open, running: () => started.filter(({ isOver }) => !isOver()).length };
}

test("many journals are written by a few threads, each into its own file", async () => {
  const { open, started } = counted(2);
  const journals = [await open(), await open(), await open(), await open(), await open()];
  const entries = journals.map(() => newEntry({ lanes: [] }));
  await Promise.all(journals.map((journal, nth) => journal.append(entries.slice(nth, nth + 1))));
  expect(journals.map(({ read }) => read.open(0, 10).map(({ id }) => id))).toEqual(entries.map(({ id }) => [id]));
  expect(started.length).toBe(2);
});

test("a journal that is closed leaves the others of its thread alone, and the last one ends the thread", async () => {
  const { open, running } = counted(1);
  const [first, second] = [await open(), await open()];
  await first.close();
  expect(running()).toBe(1);
  await second.append([newEntry({ lanes: [] })]);
  expect(second.read.open(0, 10)).toHaveLength(1);
  await second.close();
  expect(running()).toBe(0);
});

test("a journal that cannot be opened leaves the others of its thread alone", async () => {
  const { open, threads, running } = counted(1);
  const sound = await open();
  const locked = openSqliteJournal({ databaseFile: sound.databaseFile, thread: threads.prepare([]) });
  await expect(locked).rejects.toThrow(/already using this data folder/);
  await sound.append([newEntry({ lanes: [] })]);
  expect([sound.failure(), running()]).toEqual([null, 1]);
});

test("a place that is not used is given back, without a file", async () => {
  const { threads, running, open } = counted(1);
  const place = threads.prepare([]);
  await place.loaded;
  await place.discard();
  expect(running()).toBe(0);
  expect(existsSync((await open()).databaseFile)).toBe(true);
});

test("a thread without journals is kept for a while, for the next one, and ends if none comes", async () => {
  const timers = manualTimers(manualClock());
  const { threads, running, started, open } = counted(1, { afterMs: 1_000, timers });
  await (await open()).close();
  await timers.pass(900);
  const next = await open();
  await timers.pass(5_000);
  expect([started.length, running()]).toEqual([1, 1]);
  await next.append([newEntry({ lanes: [] })]);
  await next.close();
  const unused = threads.prepare([]);
  await unused.discard();
  expect([started.length, running()]).toEqual([1, 1]);
  await timers.pass(1_000);
  await expect.poll(running).toBe(0);
});

test("a thread that failed while it had no journals is not used again", async () => {
  const { started, running, open } = counted(1, { afterMs: 1_000, timers: manualTimers(manualClock()) });
  await (await open()).close();
  await started[0]?.end();
  const next = await open();
  await next.append([newEntry({ lanes: [] })]);
  expect([next.failure(), started.length, running()]).toEqual([null, 2, 1]);
});

test("when a thread fails, its journals say so, and the next one gets a new thread", async () => {
  const { open, started, running } = counted(1);
  const lost = [await open(), await open()];
  await started[0]?.end();
  for (const one of lost) await expect(one.append([newEntry()])).rejects.toThrow(/writer has stopped/);
  const next = await open();
  await next.append([newEntry({ lanes: [] })]);
  expect([next.failure(), running()]).toEqual([null, 1]);
});

test("a journal whose writer fails leaves the others of its thread alone, and can be opened again", async () => {
  const { open, threads, running } = counted(1);
  const sound = await open();
  const databaseFile = join(temporaryFolder(), "crossdock.db");
  const place = threads.prepare([]);
  const { promise: begun, resolve } = Promise.withResolvers<WriterPort>();
  const thread: PreparedWriter = {
    ...place,
    begin: (settings, port) => {
      const writer = place.begin(settings, port);
      resolve(writer);
      return writer;
    },
  };
  const failing = await openSqliteJournal({ databaseFile, thread });
  const kept = newEntry({ lanes: [] });
  await failing.append([kept]);
  const writer = await begun;
  // No such message: nothing in the writer expects it.
  writer.postMessage({ commands: null } as never);
  await writer.ended;
  await expect(failing.append([newEntry()])).rejects.toThrow(/writer failed/);
  await failing.close();
  await sound.append([newEntry({ lanes: [] })]);
  expect([sound.failure(), running()]).toEqual([null, 1]);
  const again = await openSqliteJournal({ databaseFile, thread: threads.prepare([]) });
  onTestFinished(again.close);
  expect(again.read.open(0, 10).map(({ id }) => id)).toEqual([kept.id]);
});

const module = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;

test("a projection reads the tables after the replica has brought them up to date", async () => {
  const seen: number[] = [];
  Object.assign(globalThis, { seenByProjection: (count: number) => seen.push(count) });
  const projectionModule = module(`export function openProjection(database) {
    database.exec("CREATE TABLE IF NOT EXISTS kept (n INTEGER)");
    globalThis.seenByProjection(database.statement("SELECT n FROM kept").all().length);
    return null;
  }`);
  const replicaModule = module(`export function openReplica(database) {
    database.exec("INSERT INTO kept VALUES (1)");
    return null;
  }`);
  const { port1, port2 } = new MessageChannel();
  onTestFinished(() => port1.close());
  const replica = { module: replicaModule, options: null };
  const settings = { projectionModule, projectionOptions: null, emissionTarget: null, replica, checkedBytes: 0 };
  const databaseFile = join(temporaryFolder(), "crossdock.db");
  await hostWriter({ port: port2, settings: { ...settings, databaseFile }, inTurn: (work) => work() });
  expect(seen.at(-1)).toBe(1);
  port1.postMessage("close");
});

test("a journal whose opening failed half-way can be opened again in the same thread", async () => {
  const { open, threads } = counted(1);
  await open();
  const databaseFile = join(temporaryFolder(), "crossdock.db");
  const failing = new URL(module('export const openProjection = () => { throw new Error("not today"); };'));
  const failed = openSqliteJournal({ databaseFile, thread: threads.prepare([]), projectionModule: failing });
  await expect(failed).rejects.toThrow("not today");
  const journal = await openSqliteJournal({ databaseFile, thread: threads.prepare([]) });
  onTestFinished(journal.close);
  await journal.append([newEntry({ lanes: [] })]);
  expect(journal.read.open(0, 10)).toHaveLength(1);
});

test("a writer that shares its thread does nothing before its turn, so that constant work keeps no other one waiting", async () => {
  const { port1, port2 } = new MessageChannel();
  const said: string[] = [];
  const turns: (() => void)[] = [];
  port1.on("message", (message: FromWriter) => said.push(...Object.keys(message)));
  const nothing = { projectionModule: null, projectionOptions: null, emissionTarget: null, replica: null };
  const databaseFile = join(temporaryFolder(), "crossdock.db");
  const settings = { ...nothing, databaseFile, checkedBytes: 0 };
  await hostWriter({ port: port2, settings, inTurn: (work) => turns.push(work) });
  port1.postMessage("close");
  await expect.poll(() => turns.length).toBe(1);
  expect(said).not.toContain("closed");
  turns[0]?.();
  await expect.poll(() => said).toContain("closed");
});

test("a journal that shares no thread has its own, which ends with the journal or when it is not needed", async () => {
  let running = 0;
  const count = (worker: Worker) => {
    running++;
    worker.once("exit", () => running--);
  };
  process.on("worker", count);
  onTestFinished(() => void process.off("worker", count));
  const databaseFile = join(temporaryFolder(), "crossdock.db");
  const journal = await openSqliteJournal({ databaseFile, thread: prepareWriter([]) });
  const spare = prepareWriter([]);
  await spare.loaded;
  expect(running).toBe(2);
  await spare.discard();
  expect(running).toBe(1);
  await journal.close();
  expect(running).toBe(0);
});
