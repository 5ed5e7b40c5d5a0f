import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startAdapter } from "../support/adapter/adapter.ts";
import { receiver } from "../support/receivers/receiver.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const waiting = { timeout: 60_000, interval: 50 };

test("the next file restores a stock level that a push has changed, although the file says the same as before", async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "stock"));
  const { url, requests } = await receiver((response) => response.writeHead(200).end());
  const input = { topic: "stock", folder: "stock", everySeconds: 0, settleSeconds: 0 };
  const { client } = await startAdapter({
    config: {
      connectors: { erp: { type: "files", location: folder, in: [input] } },
      platform: { forward: { stock: { mode: "forward", request: { url } } } },
    },
  });
  const sent = () =>
    requests
      .map(({ body }) => JSON.parse(body.toString()) as { itemNumber: string; amount: number })
      .flatMap(({ itemNumber, amount }) => (itemNumber === "A" ? [amount] : []));
  let files = 0;
  const drop = async () => {
    writeFileSync(join(folder, "stock", `stock-${++files}.csv`), "itemNumber;amount\r\nA;10\r\n");
    await expect.poll(() => readdirSync(join(folder, "stock", "done")).length, waiting).toBe(files);
  };
  mkdirSync(join(folder, "stock", "done"));

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
