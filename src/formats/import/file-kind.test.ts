import { expect, test } from "vitest";
import { foreignKind } from "./file-kind.ts";

/** Builds a ZIP archive: every entry with its name and bytes, then a directory of all names. */
function zip(names: readonly string[], content = "bytes"): Buffer {
  const record = (signature: string, size: number, lengthAt: number, name: string) => {
    const head = Buffer.alloc(size);
    head.write(signature, "latin1");
    head.writeUInt16LE(name.length, lengthAt);
    return Buffer.concat([head, Buffer.from(name)]);
  };
  const entries = names.map((name) => Buffer.concat([record("PK\u0003\u0004", 30, 26, name), Buffer.from(content)]));
  const directory = names.map((name) => record("PK\u0001\u0002", 46, 28, name));
  const end = Buffer.alloc(22);
  end.write("PK\u0005\u0006", "latin1");
  end.writeUInt32LE(Buffer.concat(entries).length, 16);
  return Buffer.concat([...entries, ...directory, end]);
}
const workbook = [
  "_rels/.rels",
  "docProps/app.xml",
  "docProps/thumbnail.jpeg",
  "xl/workbook.xml",
  "[Content_Types].xml",
];
const manyParts = Array.from({ length: 150 }, (_, index) => `docProps/custom-${index}.xml`);

test.each([
  ["a workbook whose parts stand in any order", zip(workbook, "x".repeat(9_000)), "excel"],
  ["a workbook with a long list of parts", zip([...manyParts, "xl/workbook.xml", ...manyParts]), "excel"],
  ["a workbook that was cut off", zip(workbook).subarray(0, 60), "excel"],
  ["a LibreOffice table", zip(["mimetype"], "application/vnd.oasis.opendocument.spreadsheet"), "excel"],
  ["a Word document", zip(["[Content_Types].xml", "_rels/.rels", "word/document.xml"]), "binary"],
  ["an archive with a CSV file", zip(["orders.csv"]), "archive"],
  ["an archive with a workbook inside", zip(["orders.xlsx"], zip(workbook).toString("latin1")), "archive"],
  ["an empty archive", zip([]), "archive"],
  [
    "an archive whose directory points nowhere",
    Buffer.concat([zip(["orders.csv"]).subarray(0, -6), Buffer.alloc(6, 0xff)]),
    "archive",
  ],
])("%s is called by its name", (_title, file, kind) => {
  expect(foreignKind(file)).toBe(kind);
});
