import { closeSync, openSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { startAdapter } from "../support/adapter/adapter.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const waiting = { timeout: 60_000, interval: 100 };
const placement = (order: string) => ({ workOrderNumber: order, itemNumber: "A-1", completedAmount: 1 });

interface Ready {
  readonly ready: boolean;
  readonly reasons: readonly string[];
  readonly alarms?: readonly { readonly alarm: string; readonly text: string }[];
}

test("a database that is damaged while it runs takes readiness away and raises an alarm", {
  timeout: 180_000,
}, async () => {
  const folder = temporaryFolder();
  const first = await startAdapter({ folder });
  for (let nth = 1; nth <= 200; nth++) await first.client.confirmPutWallPlacement(placement(`W-${nth}`));
  await first.close();
  const { client, url, reload, close } = await startAdapter({ folder });
  const ready = async () => (await (await fetch(`${url}/health/ready`)).json()) as Ready;
  await vi.waitFor(async () => expect((await ready()).ready).toBe(true), waiting);

  const database = join(folder, "data", "crossdock.db");
  const pages = statSync(database).size / 4096;
  const file = openSync(database, "r+");
  for (let page = 1; page < pages; page++) writeSync(file, Buffer.alloc(4096, 0xa5), 0, 4096, page * 4096);
  closeSync(file);
  // Another configuration gives the writer a fresh handle: until then it has these pages in memory.
  await reload({ logLevel: "error" });
  const answers = await Promise.all([1, 2, 3].map((nth) => client.confirmPutWallPlacement(placement(`W-${nth}`))));
  expect(answers.map(({ isResultSuccess }) => isResultSuccess)).toEqual([false, false, false]);
  const now = await ready();
  expect(now.ready).toBe(false);
  expect(now.reasons.join()).toContain("events cannot be stored");
  await vi.waitFor(async () => {
    const [alarm] = (await ready()).alarms ?? [];
    expect(alarm).toMatchObject({ alarm: "journal", text: expect.stringContaining("The database is damaged") });
  }, waiting);
  await close().catch(() => {});
  await expect(startAdapter({ folder })).rejects.toThrow("damaged");
});
