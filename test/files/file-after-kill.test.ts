import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startAdapter } from "../support/adapter/adapter.ts";
import { receiver } from "../support/receivers/receiver.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const waiting = { timeout: 60_000, interval: 50 };

test("a file that was stored right before a kill overrules nothing that the same file calls unchanged", async () => {
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
      .map(({ body }) => JSON.parse(body.toString()) as { locationName: string; amount: number })
      .map(({ locationName, amount }) => `${locationName} ${amount}`);
  let files = 0;
  const drop = async (second: number) => {
    const lines = ["itemNumber;locationName;amount", "A;L1;10", `A;L2;${second}`, ""];
    writeFileSync(join(folder, "stock", `stock-${++files}.csv`), lines.join("\r\n"));
    await expect.poll(() => readdirSync(join(folder, "stock", "done")).length, waiting).toBe(files);
  };
  const first = await startAdapter({ folder, config });
  await drop(5);
  await expect.poll(sent, waiting).toEqual(["L1 10", "L2 5"]);
  await first.close();
  const intake = join(folder, "data", "intake.db");
  const kept = join(folder, "kept.db");
  copyFileSync(intake, kept);
  const second = await startAdapter({ folder, config });
  await drop(6);
  await expect.poll(sent, waiting).toEqual(["L1 10", "L2 5", "L2 6"]);
  await second.close();
  // As it is left by a process that ends between the two files: the entry is stored, and not remembered.
  for (const part of ["-wal", "-shm"]) rmSync(intake + part, { force: true });
  copyFileSync(kept, intake);

  const third = await startAdapter({ folder, config });
  await drop(6);
  await third.client.push.stock({ itemNumber: "Z", locationName: "end", amount: 1 });
  await expect.poll(sent, waiting).toContain("end 1");
  expect(sent()).toEqual(["L1 10", "L2 5", "L2 6", "L2 6", "end 1"]);
});
