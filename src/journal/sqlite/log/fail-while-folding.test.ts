import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { MessageChannel } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { newEntry } from "../../suite/journal-check.ts";
import { openSqliteJournal } from "../open-sqlite-journal.ts";
import { holdInstanceLock } from "../writer/durability.ts";
import { hostWriter } from "../writer/host-writer.ts";
import { packCommand } from "../writer/writer-command.ts";
import type { FromWriter, ToWriter } from "../writer/writer-messages.ts";

/** More than the log may have before it is folded at once. */
const longBody = () => JSON.stringify(randomBytes(12 * 2 ** 20).toString("hex"));

test("a writer that fails while its log is folded keeps its files until the fold is over, and nothing is lost", async () => {
  const { port1, port2 } = new MessageChannel();
  onTestFinished(() => port1.close());
  const said: string[] = [];
  const turns: (() => void)[] = [];
  port1.on("message", (message: FromWriter) => said.push(...Object.keys(message)));
  const nothing = { projectionModule: null, projectionOptions: null, emissionTarget: null, replica: null };
  const databaseFile = join(temporaryFolder(), "crossdock.db");
  const settings = { ...nothing, databaseFile, checkedBytes: 0 };
  await hostWriter({ port: port2, settings, inTurn: (work) => turns.push(work) });
  const send = async (message: ToWriter, nth: number) => {
    port1.postMessage(message);
    await expect.poll(() => turns.length).toBe(nth);
    turns[nth - 1]?.();
  };
  const entry = newEntry({ lanes: [], body: longBody() });
  const append = { name: "append", entries: [entry], leaseToken: "" } as const;
  await send({ commands: [packCommand(append)] }, 1);
  // No such message: nothing in the writer expects it.
  await send({ commands: null } as never, 2);
  // The fold still writes to the file, so nobody else may open it.
  expect(() => holdInstanceLock(`${databaseFile}.lock`)).toThrow("already using this data folder");
  await expect.poll(() => said).toContain("closed");
  expect(said).toEqual(["ready", "left", "results", "tookMs", "refusal", "failed", "closed"]);
  const again = await openSqliteJournal({ databaseFile });
  onTestFinished(again.close);
  expect(again.read.open(0, 10).map(({ id }) => id)).toEqual([entry.id]);
  expect(again.failure()).toBe(null);
});
