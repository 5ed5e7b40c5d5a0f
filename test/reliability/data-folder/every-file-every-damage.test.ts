import { cpSync, existsSync, readdirSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { copyOf, type Started, startOn } from "../../../chaos/harness/disks/damaged-folder.ts";
import { readMark } from "../../../src/journal/sqlite/damage/journal-mark.ts";
import { startAdapter } from "../../support/adapter/adapter.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const sides = ["intake.db", "alarms.db", "senders.db", "actions.db", "figures.db"];
const ofJournal = ["", "-wal", "-shm", ".witness", ".sums", ".answers"].map((end) => `crossdock.db${end}`);

/** A data folder after a kill, and as it was after an earlier one: 12 and 30 entries, most of them in the log. */
async function killedTwice() {
  const folder = temporaryFolder();
  const data = join(folder, "data");
  const live = async (from: number, to: number) => {
    const { client, close } = await startAdapter({ folder });
    for (let nth = from; nth <= to; nth++) {
      await client.confirmPutWallPlacement({ workOrderNumber: `W-${nth}`, itemNumber: "A-1", completedAmount: 1 });
    }
    await vi.waitFor(() => expect(readMark(join(data, "crossdock.db")).mark?.lastSeq).toBe(to), { timeout: 60_000 });
    const copy = copyOf(data, join(temporaryFolder(), "data"));
    await close();
    return copy;
  };
  return { older: await live(1, 12), newer: await live(13, 30) };
}

const entriesIn = (started: Exclude<Started, { refused: string }>): number =>
  // The rows of the table, written as JSON.
  (JSON.parse(started.tables.get("entry") ?? "[]") as unknown[]).length;

test("whatever is done to any file, all entries are there or the start is refused, and a lost file is named", {
  timeout: 300_000,
}, async () => {
  const { older, newer } = await killedTwice();
  const damages: Record<string, (file: string, name: string) => void> = {
    deleted: (file) => rmSync(file, { force: true }),
    emptied: (file) => truncateSync(file),
    older: (file, name) => cpSync(join(older, name), file),
  };
  const others = ["journal-mark", "opened-files", "adapter.json", "last-version", "crossdock.db.lock"];
  for (const name of [...ofJournal, ...sides, "intake.db-wal", ...others]) {
    for (const [how, damage] of Object.entries(damages)) {
      // Files beside the journal have no witness, so an older one cannot be told from the newer one.
      if (!existsSync(join(newer, name)) || (how === "older" && sides.includes(name))) continue;
      if (how === "older" && !existsSync(join(older, name))) continue;
      const copy = copyOf(newer, join(temporaryFolder(), "data"));
      damage(join(copy, name), name);
      const started = await startOn(copy);
      const what = `${name} ${how}`;
      if ("refused" in started) {
        expect(ofJournal, what).toContain(name);
        expect(started.refused, what).toMatch(/^the data folder is damaged: .*(entr|page)/);
        continue;
      }
      expect(entriesIn(started), what).toBe(30);
      if (sides.includes(name)) expect(started.notices.join("\n"), what).toContain(`"file":"${name}"`);
    }
  }
});

test("files of the journal that are replaced or deleted together have the start refused, with what is missing", async () => {
  const { older, newer } = await killedTwice();
  const isOfJournal = (name: string) => name.startsWith("crossdock.db");
  const missed: Record<string, string> = {
    ...{
      "an older set": "entries 13 to at least 30 are missing",
      "all deleted": "it held entries up to at least number 30",
    },
    ...{ "three deleted": "entries 13 to at least 30 are missing" },
  };
  for (const [how, text] of Object.entries(missed)) {
    const copy = copyOf(newer, join(temporaryFolder(), "data"));
    const gone = (name: string) =>
      how === "three deleted" ? /-wal$|\.(witness|answers)$/.test(name) && isOfJournal(name) : isOfJournal(name);
    for (const name of readdirSync(copy).filter(gone)) rmSync(join(copy, name));
    if (how === "an older set") {
      for (const name of readdirSync(older).filter(isOfJournal)) cpSync(join(older, name), join(copy, name));
    }
    expect(await startOn(copy), how).toEqual({ refused: expect.stringContaining(text) });
  }
});
