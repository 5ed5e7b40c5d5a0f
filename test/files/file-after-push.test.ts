import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openDatabase } from "../../src/kit/sqlite/sqlite.ts";
import { startAdapter } from "../support/adapter/adapter.ts";
import { receiver } from "../support/receivers/receiver.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const waiting = { timeout: 60_000, interval: 50 };

/** An adapter that takes in levels from files and forwards them, and a folder that keeps its data. */
async function stockFiles() {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "stock", "done"), { recursive: true });
  const { url, requests } = await receiver((response) => response.writeHead(200).end());
  const input = { topic: "stock", folder: "stock", everySeconds: 0, settleSeconds: 0 };
  const config = {
    connectors: { erp: { type: "files", location: folder, in: [input] } },
    platform: { forward: { stock: { mode: "forward", request: { url } } } },
  };
  const sent = () =>
    requests
      .map(({ body }) => JSON.parse(body.toString()) as { itemNumber: string; amount: number })
      .flatMap(({ itemNumber, amount }) => (itemNumber === "A" ? [amount] : []));
  let files = 0;
  const drop = async () => {
    writeFileSync(join(folder, "stock", `stock-${++files}.csv`), "itemNumber;amount\r\nA;10\r\n");
    await expect.poll(() => readdirSync(join(folder, "stock", "done")).length, waiting).toBe(files);
  };
  return { folder, sent, drop, start: () => startAdapter({ folder, config }) };
}

test("a push that was stored right before a kill still overrules what a file has said", async () => {
  const { folder, sent, drop, start } = await stockFiles();
  const first = await start();
  await drop();
  await expect.poll(sent, waiting).toEqual([10]);
  await first.client.push.stock({ itemNumber: "A", amount: 7 });
  await expect.poll(sent, waiting).toEqual([10, 7]);
  await first.close();
  // As it is left by a process that ends between the two files, and by a power cut.
  const intake = openDatabase(join(folder, "data", "intake.db"));
  intake.exec("UPDATE seen SET overruled_at = NULL; UPDATE overruled_until SET seq = 1");
  intake.close();

  const second = await start();
  // Another push must not hide that the earlier one has overruled nothing yet.
  await second.client.push.stock({ itemNumber: "B", amount: 1 });
  await drop();
  await expect.poll(sent, waiting).toEqual([10, 7, 10]);
  // Once is enough.
  await drop();
  await second.close();
  const third = await start();
  await drop();
  await third.client.push.stock({ itemNumber: "A", amount: 9 });
  await expect.poll(sent, waiting).toEqual([10, 7, 10, 9]);
});

test("the next file restores a stock level that a push has changed, although the file says the same as before", async () => {
  const { sent, drop, start } = await stockFiles();
  const { client } = await start();
  await drop();
  await expect.poll(sent, waiting).toEqual([10]);
  await client.push.stock({ itemNumber: "A", amount: 7 });
  await expect.poll(sent, waiting).toEqual([10, 7]);
  await drop();
  await expect.poll(sent, waiting).toEqual([10, 7, 10]);
  // The same if the level is one of many, which are stored in parts.
  const others = Array.from({ length: 300 }, (_, nth) => ({ itemNumber: `B-${nth}`, amount: nth }));
  await client.push.stock([...others, { itemNumber: "A", amount: 8 }]);
  await expect.poll(sent, waiting).toEqual([10, 7, 10, 8]);
  await drop();
  await expect.poll(sent, waiting).toEqual([10, 7, 10, 8, 10]);
  // Nobody has said anything else since.
  await drop();
  await client.push.stock({ itemNumber: "A", amount: 9 });
  await expect.poll(sent, waiting).toEqual([10, 7, 10, 8, 10, 9]);
});
