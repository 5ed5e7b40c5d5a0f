import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { adminSetup } from "../../../test/support/adapter/admin-setup.ts";
import { leastStall, workedMs } from "../../../test/support/longest-stall.ts";
import { newFolder, removeFolder, temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { openDatabase } from "../../kit/sqlite/sqlite.ts";
import { systemTimers } from "../../kit/time/timers.ts";
import { openStoredJournal } from "../stored-journal.ts";
import { viewsThread } from "./views-thread.ts";

const entryCount = 6_000;
const privacy = { showPersonal: false };
let folder = "";

beforeAll(async () => {
  const closes: (() => Promise<void>)[] = [];
  folder = newFolder();
  const setup = await adminSetup({ folder, onFinished: (close) => void closes.push(close) });
  for (let from = 0; from < entryCount; from += 500) {
    await Promise.all(
      Array.from({ length: 500 }, (_, index) =>
        setup.event("cancelPutWallItem", { workOrderNumber: `W-${from + index}`, itemNumber: `ITEM-${index}` }),
      ),
    );
  }
  return async () => {
    for (const close of closes) await close();
    removeFolder(folder);
  };
});

function opened(databaseFile = join(folder, "crossdock.db")) {
  const stored = openStoredJournal(folder);
  if (stored === null) throw new Error("there is no journal");
  const damages: string[] = [];
  const onDamage = (reason: string) => void damages.push(reason);
  const thread = viewsThread({ databaseFile, timers: systemTimers, onDamage });
  onTestFinished(async () => {
    stored.close();
    await thread.close();
  });
  return { stored, views: thread.views, damages };
}

test("the thread answers every question as this thread would", async () => {
  const { stored, views } = opened();
  const both = async <Answer>(ask: (one: typeof views) => Promise<Answer>) => [await ask(views), await ask(stored)];
  const asked = [
    await both((one) => one.find({ item: "ITEM-7" }, { limit: 5, ...privacy })),
    await both((one) => one.show(1, privacy)),
    await both((one) => one.show("evt_none", privacy)),
    await both((one) => one.view(2, privacy)),
    await both((one) => one.lines([3, 4, -1], privacy)),
    await both((one) => one.orders({ text: "W-11", limit: 5 })),
    await both((one) => one.order("W-12")),
    await both((one) => one.failures({})),
    await both((one) => one.timeline("W-13", privacy)),
    await both((one) => one.timelineText("W-13", { ...privacy, timeZone: "UTC" })),
    await both((one) => one.explain("W-13")),
    await both((one) => one.explanationText("W-13")),
    await both((one) => one.candidates({ action: "skip", query: { text: "ITEM-7" }, after: 0 })),
    await both((one) => one.exportPage({ order: "W-14" }, { format: "ndjson", ...privacy })),
    await both((one) => one.exportPage({}, { format: "csv", before: 100, ...privacy })),
  ];
  for (const [fromThread, fromHere] of asked) expect(fromThread).toEqual(fromHere);
  // Each member of the overview is asked above.
  expect(new Set(Object.keys(views)).size).toBe(13);
});

test("a search, an export and the candidates of an action over thousands of entries hold up nobody", async () => {
  const { stored, views } = opened();
  const text = { text: "not there" };
  const questions: ((one: typeof views) => Promise<unknown>)[] = [
    (one) => one.find(text, { limit: 50, ...privacy }),
    (one) => one.exportPage({}, { format: "ndjson", ...privacy }),
    (one) => one.candidates({ action: "skip", query: { target: "erp" }, after: 0 }),
  ];
  for (const ask of questions) {
    await ask(views);
    const startedMs = workedMs();
    await ask(stored);
    const hereMs = workedMs() - startedMs;
    const below = hereMs / 10;
    expect(await leastStall(() => ask(views), { below, most: 5 })).toBeLessThan(below);
  }
});

test("damage that the thread finds is reported", async () => {
  const file = join(temporaryFolder(), "crossdock.db");
  const source = openDatabase(join(folder, "crossdock.db"), { readOnly: true });
  await source.backup(file);
  source.close();
  const copy = openDatabase(file);
  const { page } = copy.statement("SELECT rootpage AS page FROM sqlite_schema WHERE name = 'entry_body'").get() ?? {};
  const { size } = copy.statement("SELECT page_size AS size FROM pragma_page_size").get() ?? {};
  copy.close();
  const pageBytes = Number(size);
  const handle = openSync(file, "r+");
  writeSync(handle, Buffer.alloc(pageBytes, 0xee), 0, pageBytes, (Number(page) - 1) * pageBytes);
  closeSync(handle);
  const { views, damages } = opened(file);
  await expect(views.show(1, privacy)).rejects.toThrow("malformed");
  expect(damages).toEqual([expect.stringContaining("malformed")]);
});
