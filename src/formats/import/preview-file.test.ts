import { expect, test } from "vitest";
import { FileType } from "../../contract/enums.ts";
import { languages } from "../../messages/languages.ts";
import { fileTemplate, previewFile } from "./preview-file.ts";

const settings = { dates: { timeZone: "UTC", timeOfDay: "00:00" } };
const asked = { fileType: FileType.Csv, settings, language: "en" } as const;

test("a good file is shown with what was detected, its records and its cells", () => {
  const bytes = Buffer.from("Order;Due date;Item;Quantity\n1;2030-01-31;A;2\n1;2030-01-31;B;3\n");
  const preview = previewFile("workOrders", bytes, asked);
  expect(preview).toMatchObject({ ok: true, message: null, recordCount: 1, problems: [], problemCount: 0 });
  expect(preview.detected).toMatchObject({ delimiter: ";", encoding: "utf-8", headerRow: 1 });
  expect(preview.rows).toEqual([
    ["Order", "Due date", "Item", "Quantity"],
    ["1", "2030-01-31", "A", "2"],
    ["1", "2030-01-31", "B", "3"],
  ]);
});

test("each problem names the row and the column of its cell, in the reader's language", () => {
  const bytes = Buffer.from("\ufeffOrder;Due date;Item;Quantity\n1;2030-01-31;A;many\n");
  const preview = previewFile("workOrders", bytes, { ...asked, language: "de" });
  expect(preview).toMatchObject({ ok: false, problemCount: 1, recordCount: 0 });
  expect(preview.problems).toMatchObject([{ row: 2, column: "Quantity", value: "many" }]);
  expect(preview.problems[0]?.text).toContain("Zeile 2");
  expect(preview.rows?.[0]?.[0]).toBe("Order");
});

test("a JSON file and a file of very many rows are shown without cells", () => {
  const json = Buffer.from(
    JSON.stringify([{ number: "1", dueDate: "2030-01-31", requests: [{ itemNumber: "A", requestedAmount: 1 }] }]),
  );
  expect(previewFile("workOrders", json, { ...asked, fileType: FileType.Json })).toMatchObject({
    ok: true,
    rows: null,
  });
  const long = `Number;Name\n${Array.from({ length: 6_000 }, (_, row) => `I-${row};x`).join("\n")}`;
  expect(previewFile("items", Buffer.from(long), asked)).toMatchObject({ recordCount: 6_000, rows: null });
});

test.each(languages)("a filled template is read without any setting: %s", (language) => {
  const orders = `${fileTemplate("workOrders", language)}1;2030-01-31;Main;A;Bolt;2;;;;L-1\r\n`;
  expect(previewFile("workOrders", Buffer.from(orders), asked)).toMatchObject({
    ok: true,
    recordCount: 1,
    notes: { unusedColumns: [] },
  });
  const items = `${fileTemplate("items", language)}A;Bolt;M8;;10;Acme\r\n`;
  expect(previewFile("items", Buffer.from(items), asked)).toMatchObject({
    ok: true,
    recordCount: 1,
    notes: { unusedColumns: [] },
  });
});
