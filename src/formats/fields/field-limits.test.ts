import { expect, test } from "vitest";
import { FileType } from "../../contract/enums.ts";
import { limits } from "../../contract/limits.ts";
import { pushedItemSchema, pushedWorkOrderSchema, pushRow } from "../../contract/pushes.ts";
import { csvRecords, flatFields } from "../../mapping/documents/csv-records.ts";
import type { Field } from "../csv/map-columns.ts";
import type { FileSettings } from "../import/file-settings.ts";
import { readItemFile, readWorkOrderFile } from "../import/read-file.ts";
import { itemFields } from "./item-fields.ts";
import { orderFields } from "./order-fields.ts";

const settings: FileSettings = { dates: { timeZone: "UTC", timeOfDay: "08:00" } };
const lineSchema = pushedWorkOrderSchema.properties.requests.items;
const limitOf = (schema: unknown, name: string) =>
  (schema as { properties: Record<string, { maxLength?: number }> }).properties[name]?.maxLength ?? 0;
const isWritten = ({ kind }: Field) => kind === "identifier" || kind === "text";
const filling = (length: number) => `A${"b".repeat(length - 2)}1`;

/** A file of one row with only this column and the required ones. */
function csvOf(fields: readonly Field[], own: Field, value: string): Buffer {
  const usual: Readonly<Record<string, string>> = { dueDate: "2026-01-31", requestedAmount: "1", amount: "1" };
  const columns = fields.filter((field) => field.required || field === own);
  const cells = columns.map((field) => (field === own ? value : (usual[field.name] ?? "A1")));
  return Buffer.from(`${columns.map(({ name }) => name).join(";")}\n${cells.join(";")}\n`);
}

const told = (problems: readonly { column: string; text: { key: string; values: object } }[]) =>
  problems.map(({ column, text }) => ({ column, key: text.key, limit: (text.values as { detail?: string }).detail }));

const orderCases = orderFields.filter(isWritten).map((field) => ({
  field,
  limit: limitOf(field.scope === "line" ? lineSchema : pushedWorkOrderSchema, field.name),
}));

test.each(orderCases)(
  "$field.name of an order file is bounded as the contract bounds it: $limit",
  ({ field, limit }) => {
    const read = (length: number) =>
      readWorkOrderFile(csvOf(orderFields, field, filling(length)), FileType.Csv, settings);
    expect(read(limit).ok).toBe(true);
    const reading = read(limit + 1);
    const expected = [{ column: field.name, key: "files.cell.length", limit: String(limit) }];
    expect(reading.ok ? "taken" : told(reading.problems)).toEqual(expected);
  },
);

const itemCases = itemFields
  .filter(isWritten)
  .map((field) => ({ field, limit: limitOf(pushedItemSchema, field.name) }));

test.each(itemCases)("$field.name of an item file is bounded as the contract bounds it: $limit", ({ field, limit }) => {
  const read = (length: number) => readItemFile(csvOf(itemFields, field, filling(length)), FileType.Csv, settings);
  expect(read(limit).ok).toBe(true);
  const reading = read(limit + 1);
  const expected = [{ column: field.name, key: "files.cell.length", limit: String(limit) }];
  expect(reading.ok ? "taken" : told(reading.problems)).toEqual(expected);
});

const flatTopics = ["cancellations", "stock", "indexableValues"] as const;
const flatCases = flatTopics.flatMap((topic) => {
  const fields = flatFields[topic] ?? [];
  const element = pushRow(topic).element;
  return fields.filter(isWritten).map((field) => ({ topic, fields, field, limit: limitOf(element, field.name) }));
});

test.each(flatCases)(
  "$field.name of a file of $topic is bounded as the contract bounds it: $limit",
  ({ topic, fields, field, limit }) => {
    const read = (length: number) => csvRecords(csvOf(fields, field, filling(length)), topic, settings);
    expect(read(limit)).toHaveProperty("records");
    const found = read(limit + 1);
    const problems = "refusal" in found ? found.refusal.filter((one) => typeof one === "object") : [];
    expect(told(problems as Parameters<typeof told>[0])).toEqual([
      { column: field.name, key: "files.cell.length", limit: String(limit) },
    ]);
  },
);

test("an order file with more lines in one order than the contract allows is refused, and names the limit once", () => {
  const rows = Array.from({ length: limits.linesPerOrder + 3 }, (_, index) => `7;2026-01-31;A${index};1`);
  const file = (count: number) =>
    Buffer.from(`number;dueDate;itemNumber;requestedAmount\n${rows.slice(0, count).join("\n")}\n`);
  expect(readWorkOrderFile(file(limits.linesPerOrder), FileType.Csv, settings).ok).toBe(true);
  const reading = readWorkOrderFile(file(rows.length), FileType.Csv, settings);
  expect(reading.ok ? "taken" : told(reading.problems)).toEqual([
    { column: "requests", key: "files.cell.elements", limit: String(limits.linesPerOrder) },
  ]);
});

test.each(["1.0000000000000001", "1,0000000000000001"])("an amount of %s is refused and not rounded to 1", (amount) => {
  const file = Buffer.from(`number;dueDate;itemNumber;requestedAmount\n7;2026-01-31;A;${amount}\n`);
  const reading = readWorkOrderFile(file, FileType.Csv, settings);
  expect(reading.ok ? reading.records : reading.problems.map(({ value }) => value)).toEqual([amount]);
});

test.each(["1.0000000000000001", "1,0000000000000001"])(
  "a stock level of %s is refused and not rounded to 1",
  (amount) => {
    const found = csvRecords(Buffer.from(`itemNumber;amount\nA;${amount}\nB;2\n`), "stock", settings);
    const problems = "refusal" in found ? found.refusal.filter((one) => typeof one === "object") : [];
    expect(told(problems as Parameters<typeof told>[0])).toMatchObject([
      { column: "amount", key: "files.cell.exact-number" },
    ]);
  },
);
