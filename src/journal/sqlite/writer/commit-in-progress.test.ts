import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import { MessageChannel } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { integer, row } from "../../../kit/sqlite/row.ts";
import { openDatabase } from "../../../kit/sqlite/sqlite.ts";
import type { NewEntry } from "../../entry.ts";
import { type Replica, ReplicaRefused } from "../../journal-replica.ts";
import { packEntries } from "../../packed-entry.ts";
import { newEntry } from "../../suite/journal-check.ts";
import { hostWriter } from "./host-writer.ts";
import { packCommand } from "./writer-command.ts";
import type { FromWriter, ToWriter } from "./writer-messages.ts";

const countRow = row({ entries: integer, answered: integer });

/** A writer in this thread, whose commits wait until the test confirms them. */
async function waitingWriter() {
  const databaseFile = join(temporaryFolder(), "crossdock.db");
  const { port1, port2 } = new MessageChannel();
  onTestFinished(() => port1.close());
  const said: FromWriter[] = [];
  port1.on("message", (message: FromWriter) => said.push(message));
  const waiting: PromiseWithResolvers<void>[] = [];
  const replica: Replica = {
    begin: () => {},
    confirm: () => {},
    confirmLater: () => {
      const one = Promise.withResolvers<void>();
      waiting.push(one);
      return one.promise;
    },
    abandon: () => false,
  };
  const module = new URL("../../../../test/fixtures/given-replica.ts", import.meta.url).href;
  const nothing = { projectionModule: null, projectionOptions: null, emissionTarget: null, checkedBytes: 0 };
  const settings = { ...nothing, databaseFile, replica: { module, options: replica } };
  await hostWriter({ port: port2, settings, inTurn: (work) => work() });
  const send = (message: ToWriter) => port1.postMessage(message);
  const reader = openDatabase(databaseFile, { readOnly: true });
  onTestFinished(() => reader.close());
  const count = reader.query("SELECT count(*) AS entries, count(answered_at) AS answered FROM entry", countRow);
  return {
    databaseFile,
    said: () => said.flatMap((message) => Object.keys(message)[0] ?? []).filter((key) => key !== "ready"),
    send,
    append: (entry: NewEntry = newEntry({ lanes: [] })) =>
      send({ commands: [packCommand({ name: "append", entries: [entry], leaseToken: "" })] }),
    /** Settles when this many commits have come to the replica. */
    begun: (count: number) => expect.poll(() => waiting.length, { timeout: 20_000 }).toBe(count),
    confirm: (nth: number) => waiting[nth - 1]?.resolve(),
    refuse: (nth: number, error: Error) => waiting[nth - 1]?.reject(error),
    stored: () => count.get()?.entries,
    answered: () => count.get()?.answered,
  };
}

test("what arrives while a commit waits for the replica is the next commit; nobody reads or is answered before", async () => {
  const { append, send, begun, confirm, said, stored } = await waitingWriter();
  append();
  await begun(1);
  append();
  append();
  send("close");
  expect([said(), stored()]).toEqual([[], 0]);
  confirm(1);
  await begun(2);
  expect([said(), stored()]).toEqual([["results"], 1]);
  confirm(2);
  await expect.poll(said).toEqual(["results", "results", "closed"]);
  expect(stored()).toBe(3);
});

test("a commit that the replica refuses later is undone, and the next one is tried", async () => {
  const { append, begun, confirm, refuse, said, stored } = await waitingWriter();
  append();
  await begun(1);
  refuse(1, new ReplicaRefused("PostgreSQL is away"));
  append();
  await begun(2);
  expect([said(), stored()]).toEqual([["results"], 0]);
  confirm(2);
  await expect.poll(stored).toBe(1);
});

test("an equal second piece is stored also if the mark of the first answer was refused right before it", async () => {
  const { append, send, begun, confirm, refuse, stored } = await waitingWriter();
  const piece = () =>
    newEntry({ lanes: ["o1"], body: "{}", repeat: { key: "placed", when: "unanswered", windowMs: 900_000 } });
  append(piece());
  await begun(1);
  confirm(1);
  await expect.poll(stored).toBe(1);
  send({ commands: [packCommand({ name: "markAnswered", marks: [[1, Date.now()]] })] });
  await begun(2);
  // Whoever has read the answer sends the second piece, while the mark still waits.
  append(piece());
  refuse(2, new ReplicaRefused("PostgreSQL is away"));
  await begun(3);
  confirm(3);
  await expect.poll(stored).toBe(2);
});

test("a mark that was refused is stored when the replica works again, although nothing else is to be stored", async () => {
  const { append, send, begun, confirm, refuse, answered } = await waitingWriter();
  append();
  await begun(1);
  confirm(1);
  send({ commands: [packCommand({ name: "markAnswered", marks: [[1, 2_000]] })] });
  await begun(2);
  refuse(2, new ReplicaRefused("PostgreSQL is away"));
  await expect.poll(answered).toBe(1);
});

test("chunks of a push get their turn between commits, although one always waits", async () => {
  const { append, send, begun, confirm, said } = await waitingWriter();
  const chunk = packEntries([newEntry({ lanes: [] })]);
  append();
  await begun(1);
  send({ bulk: { call: 1, firstIndex: 0, chunks: [chunk] } });
  for (let nth = 1; nth < 40 && !said().includes("bulk"); nth++) {
    append();
    confirm(nth);
    await begun(nth + 1);
  }
  expect(said()).toContain("bulk");
});

/** More than the log may have before it is folded at once. */
const longEntry = () => newEntry({ lanes: [], body: JSON.stringify(randomBytes(12 * 2 ** 20).toString("hex")) });

test.each([
  ["before", "a commit that waits for the replica"],
  ["during", "a commit that waits for the replica"],
])("a log is folded %s %s, and both are completed", { timeout: 60_000 }, async (when) => {
  const { append, send, begun, confirm, said, stored, databaseFile } = await waitingWriter();
  append(longEntry());
  await begun(1);
  // It has arrived when the fold begins, so it is begun at once.
  if (when === "before") append();
  confirm(1);
  if (when === "during") {
    await expect.poll(said).toEqual(["results"]);
    append();
    await begun(2);
    await expect.poll(() => statSync(databaseFile).size, { timeout: 20_000 }).toBeGreaterThan(20 * 2 ** 20);
  }
  await begun(2);
  confirm(2);
  append();
  await begun(3);
  confirm(3);
  await expect.poll(() => statSync(databaseFile).size, { timeout: 20_000 }).toBeGreaterThan(20 * 2 ** 20);
  send("close");
  await expect.poll(said, { timeout: 20_000 }).toContain("closed");
  expect(said()).not.toContain("failed");
  expect(stored()).toBe(3);
});
