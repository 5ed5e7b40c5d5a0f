import { expect, onTestFinished, test } from "vitest";
import { openDatabase } from "../../kit/sqlite/sqlite.ts";
import { tables } from "./fallback-tables.ts";
import { listParts } from "./list-parts.ts";

test("the parts of an order that two systems list stay until both lists refer to them", async () => {
  const database = openDatabase(":memory:");
  onTestFinished(database.close);
  database.exec(tables);
  const parts = listParts(database);
  const text = Buffer.alloc(600 * 1024, "x");
  await parts.write("digest", text);
  await parts.write("digest", text);
  parts.release("digest");
  await parts.removeUnused();
  const read: Uint8Array[] = [];
  for await (const part of parts.read("digest", text.length)) read.push(part);
  expect(Buffer.concat(read).equals(text)).toBe(true);
  parts.release("digest");
  await parts.removeUnused();
  expect(await parts.read("digest", text.length).next()).toMatchObject({ done: true });
});
