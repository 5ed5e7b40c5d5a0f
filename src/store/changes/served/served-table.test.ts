import fc from "fast-check";
import { expect, test } from "vitest";
import { embeddedStore } from "../../../../test/support/floor/embedded-store.ts";
import { integer, row } from "../../../kit/sqlite/row.ts";
import type { ServedLine } from "../../ledger/line-ref.ts";
import type { ServedContent } from "./served-content.ts";
import { openServedTable, packContent, unpackContent } from "./served-table.ts";

const line = (externalId: string, amount: number): ServedLine => ({
  ...{ externalId, itemNumber: `I-${externalId}`, lot: null, unit: 0, amount },
});

test("a content is read as it was written, whatever it has of the one before", () => {
  const before = ["1", "2", "3", "4"].map((id) => line(id, 5));
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constantFrom(...before), fc.constant(line("9", 1)))), (content) => {
      expect(unpackContent(packContent(content, before), before)).toEqual(content);
      expect(unpackContent(packContent(content, []), [])).toEqual(content);
    }),
  );
});

test("the first content and the latest ones are kept, and read as they were served", () => {
  const { writer: database } = embeddedStore();
  const table = openServedTable(database);
  const contents = Array.from({ length: 70 }, (_, nth) => [line("1", 5), line("2", 1 + nth), line("3", 5)]);
  let served: readonly ServedContent[] = [];
  for (const content of contents) served = table.add("N", served, content);
  expect(served).toEqual([contents[0], ...contents.slice(17)]);
  expect(table.of("N")).toEqual(served);
  // Read from the table, as after a start, the next ones are added in the same way.
  let read = table.of("N");
  const more = Array.from({ length: 20 }, (_, nth) => [line("1", 7 + nth)]);
  for (const content of more) read = table.add("N", read, content);
  expect(read).toEqual([contents[0], ...contents.slice(33), ...more]);
  expect(table.of("N")).toEqual(read);
});

test("a content that equals the latest one is not added", () => {
  const { writer: database } = embeddedStore();
  const table = openServedTable(database);
  const served = table.add("N", [], [line("1", 5)]);
  expect(table.add("N", served, [line("1", 5)])).toBe(served);
});

test("a further content is written by what it changes", () => {
  const { writer: database } = embeddedStore();
  const table = openServedTable(database);
  const lines = Array.from({ length: 1000 }, (_, nth) => line(String(nth), 5));
  const served = table.add("N", [], lines);
  table.add("N", served, [line("new", 1), ...lines.with(500, line("500", 4))]);
  const sizes = database
    .query("SELECT length(lines) AS size FROM served_content ORDER BY number", row({ size: integer }))
    .all();
  expect(sizes.length).toBe(2);
  expect((sizes[0]?.size ?? 0) / (sizes[1]?.size ?? 0)).toBeGreaterThan(100);
});
