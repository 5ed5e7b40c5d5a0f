import { expect, test } from "vitest";
import { FileType } from "../../contract/enums.ts";
import { workOrderSchema } from "../../contract/schemas/work-order.ts";
import { validator } from "../../contract/validate/validator.ts";
import { languages } from "../../messages/languages.ts";
import { localise } from "../../messages/localise.ts";
import type { FileSettings } from "./file-settings.ts";
import { readItemFile, readWorkOrderFile } from "./read-file.ts";

const settings: FileSettings = { dates: { timeZone: "Europe/Berlin", timeOfDay: "08:00" } };
const head = "number;dueDate;itemNumber;requestedAmount";
const orderCheck = validator(workOrderSchema);

/** Reads a file and returns its orders as `number: item × amount`, so that a case fits on one line. */
function read(file: string | Uint8Array, more: Partial<FileSettings> = {}, fileType: number = FileType.Csv) {
  const reading = readWorkOrderFile(Buffer.from(file), fileType, { ...settings, ...more });
  // A reading must survive being sent to another thread.
  expect(structuredClone(reading)).toEqual(reading);
  if (!reading.ok) {
    for (const { text } of [...reading.problems, { text: reading.message }]) {
      for (const language of languages) expect(localise(text, language)).not.toMatch(/\{\w/);
    }
    return {
      result: reading.result,
      message: reading.message.key,
      problems: reading.problems.map(brief),
      count: reading.problemCount,
    };
  }
  for (const order of reading.records) expect(orderCheck.problems(order)).toEqual([]);
  return {
    orders: reading.records.map(
      ({ number, requests }) =>
        `${number}: ${requests.map((line) => `${line.itemNumber} × ${line.requestedAmount}`).join(", ")}`,
    ),
    withheld: (reading.withheld?.problems ?? []).map(brief),
  };
}
const brief = ({ row, column, value, text }: { row: number; column: string; value: string; text: { key: string } }) =>
  `${row} ${column} ${value} ${text.key.replace("files.", "")}`;

const good: [title: string, file: string | Buffer, orders: string[]][] = [
  ["a hint for spreadsheets above the header", `sep=;\r\n${head}\r\n1;2026-01-01;a;2\r\n`, ["1: a × 2"]],
  ["title rows above the header", `Orders of today;;;\n\n${head}\n1;2026-01-01;a;2`, ["1: a × 2"]],
  [
    "blank rows between and rows of nothing but delimiters",
    `${head}\n\n1;2026-01-01;a;2\n;;;\n   \n1;;b;3\n\n`,
    ["1: a × 2, b × 3"],
  ],
  [
    "a delimiter too many at every line end",
    `${head};\n1;2026-01-01;a;2;\n2;2026-01-01;b;1;\n`,
    ["1: a × 2", "2: b × 1"],
  ],
  ["a delimiter at line ends that the header does not have", `${head}\n1;2026-01-01;a;2;\n`, ["1: a × 2"]],
  ["no line end after the last row", `${head}\n1;2026-01-01;a;2`, ["1: a × 2"]],
  [
    "mixed line ends",
    `${head}\r\n1;2026-01-01;a;2\n2;2026-01-01;b;1\r3;2026-01-01;c;4\r\n`,
    ["1: a × 2", "2: b × 1", "3: c × 4"],
  ],
  [
    "rows of an order far apart",
    `${head}\n1;2026-01-01;a;2\n2;2026-01-01;b;1\n1;2026-01-01;c;9`,
    ["1: a × 2, c × 9", "2: b × 1"],
  ],
  ["the order on a row of its own above its lines", `${head}\n1;2026-01-01;;\n;;a;2\n;;b;3`, ["1: a × 2, b × 3"]],
  ["a due date that only the second row gives", `${head}\n1;;a;2\n1;2026-01-01;b;3`, ["1: a × 2, b × 3"]],
  ["the same date written in two ways", `${head}\n1;2026-12-31;a;2\n1;31.12.2026;b;3`, ["1: a × 2, b × 3"]],
  ["leading zeros in every identifier", `${head}\n0001;2026-01-01;007;2`, ["0001: 007 × 2"]],
  ["leading zeros kept by a formula", `${head}\n="0001";2026-01-01;="007";2`, ["0001: 007 × 2"]],
  ["identifiers that only look scientific", `${head}\n12E5;2026-01-01;4E10;2`, ["12E5: 4E10 × 2"]],
  ["quotes inside unquoted cells", `${head}\n1;2026-01-01;3/4" pipe;2`, ['1: 3/4" pipe × 2']],
  [
    "everything quoted, with spaces behind the quotes",
    `"number";"dueDate";"itemNumber";"requestedAmount"\n"1" ;"2026-01-01";"a" ;"2"`,
    ["1: a × 2"],
  ],
  [
    "white space around everything",
    ` number ; dueDate ; itemNumber ; requestedAmount \n 1 ; 2026-01-01 ; a ; 2 `,
    ["1: a × 2"],
  ],
  ["no-break spaces around everything", `${head}\n\u00a01\u00a0;\u00a02026-01-01;a;\u00a02\u00a0`, ["1: a × 2"]],
  [
    "amounts with thousands and empty decimals",
    `Auftrag;Fälligkeit;Artikel;Menge\n1;1.2.2026;a;1.000\n1;;b;2.500,00\n1;;c;3,000`,
    ["1: a × 1000, b × 2500, c × 3"],
  ],
  ["amounts with a plus sign and zeros in front", `${head}\n1;2026-01-01;a;+5\n1;;b;007`, ["1: a × 5, b × 7"]],
  ["an order column named Order", "Order,Due date,Item,Quantity\n1,2026-01-01,a,2", ["1: a × 2"]],
  [
    "an article and an article number",
    "Auftrag;Termin;Artikel;Artikelnummer;Menge\n1;1.2.2026;Screw;a;2",
    ["1: a × 2"],
  ],
  [
    "French headers in Windows-1252",
    Buffer.from("N° de commande;Échéance;Code article;Quantité\n1;01/02/2026;a;2", "latin1"),
    ["1: a × 2"],
  ],
  [
    "Polish headers in Windows-1250",
    Buffer.concat([
      Buffer.from("numer zam"),
      Buffer.from([0xf3]),
      Buffer.from("wienia;termin;artyku"),
      Buffer.from([0xb3]),
      Buffer.from(";ilo"),
      Buffer.from([0x9c, 0xe6]),
      Buffer.from("\n1;1.2.2026;a;2"),
    ]),
    ["1: a × 2"],
  ],
  [
    "Italian, Spanish and Dutch headers",
    "numero ordine;vencimiento;artikelnummer;aantal\n1;1-2-2026;a;2",
    ["1: a × 2"],
  ],
  [
    "JSON sent as CSV",
    '[{"number":"1","dueDate":"2026-01-01","requests":[{"itemNumber":"a","requestedAmount":2}]}]',
    ["1: a × 2"],
  ],
  [
    "one JSON object with a byte order mark",
    '\ufeff{"Number":"1","DUEDATE":"2026-01-01","Requests":[{"itemnumber":"a","requestedAmount":2}]}',
    ["1: a × 2"],
  ],
  [
    "a wrapped JSON list",
    '{"total":1,"WorkOrders":[{"number":"1","dueDate":"2026-01-01","requests":[{"itemNumber":"a","requestedAmount":2}]}]}',
    ["1: a × 2"],
  ],
  [
    "JSON in UTF-16",
    Buffer.from(
      '\ufeff{"data":[{"number":"1","dueDate":"2026-01-01","requests":[{"itemNumber":"a","requestedAmount":2}]}]}',
      "utf16le",
    ),
    ["1: a × 2"],
  ],
  ["a header and no rows", `${head}\n`, []],
  ["an empty JSON list", "[]", []],
];

test.each(good)("%s: is read", (_title, file, orders) => {
  expect(read(file)).toEqual({ orders, withheld: [] });
});

test("CSV sent as JSON is read by its content", () => {
  expect(read(`${head}\n1;2026-01-01;a;2`, {}, FileType.Json)).toMatchObject({ orders: ["1: a × 2"] });
});

const bad: [title: string, file: string | Buffer, problems: string[]][] = [
  ["a row with a cell too few", `${head}\n1;2026-01-01;a\n`, ["2   row.cells"]],
  ["a row with a cell too many", `${head}\n1;2026-01-01;a;2;x\n`, ["2   row.cells"]],
  ["an unclosed quote", `${head}\n1;2026-01-01;"a;2\n2;2026-01-01;b;1\n`, ["2 itemNumber  row.unclosed-quote"]],
  [
    "an unclosed quote in a long file",
    `${head}\n1;2026-01-01;"a;2\n${"2;2026-01-01;b;1\n".repeat(300_000)}`,
    ["2 itemNumber  row.unclosed-quote"],
  ],
  ["text behind a closing quote", `${head}\n1;2026-01-01;"a" b;2\n`, ["2 itemNumber  row.text-after-quote"]],
  ["a NUL in a cell", `${head}\n1;2026-01-01;a\0;2\n`, ["2   row.nul"]],
  ["a row of a million cells", `${head}\n1;2026-01-01;a;2${";".repeat(1_000_000)}\n`, ["2 1001  row.too-many-cells"]],
  ["a row without an end", `${head}\n1;2026-01-01;a;${"2".repeat(2_000_000)}`, ["2 5  row.row-too-long"]],
  [
    "an item number in scientific notation",
    `${head}\n1;2026-01-01;1,23E+12;2\n`,
    ["2 itemNumber 1,23E+12 cell.scientific"],
  ],
  [
    "an order number in scientific notation",
    `${head}\n4.5E+15;2026-01-01;a;2\n;;b;2`,
    ["2 number 4.5E+15 cell.scientific", "3 number  row.no-number"],
  ],
  [
    "amounts that are none",
    `${head}\n1;2026-01-01;a;0\n1;;b;-3\n1;;c;many\n1;;d;1e3\n1;;e;99999999999999999999`,
    [
      "2 requestedAmount 0 cell.amount",
      "3 requestedAmount -3 cell.amount",
      "4 requestedAmount many cell.amount",
      "5 requestedAmount 1e3 cell.amount",
      "6 requestedAmount 99999999999999999999 cell.at-most",
    ],
  ],
  ["a fraction", `${head}\n1;2026-01-01;a;2,5\n`, ["2 requestedAmount 2,5 cell.fraction"]],
  [
    "an amount that could be one or a thousand",
    "number\tdueDate\titemNumber\tamount\n1\t2026-01-01\ta\t1,000\n",
    ["2 amount 1,000 cell.ambiguous-number"],
  ],
  [
    "an amount that could be five or five thousand, between semicolons",
    `${head}\n1;2026-01-01;a;5.000\n`,
    ["2 requestedAmount 5.000 cell.ambiguous-number"],
  ],
  [
    "an amount that could be one or a thousand, under German headings",
    "Auftrag;Fälligkeit;Artikel;Menge\n1;1.2.2026;a;1.000\n",
    ["2 Menge 1.000 cell.ambiguous-number"],
  ],
  [
    "two amounts that could be meant in two ways each",
    `${head}\n1;2026-01-01;a;5,000\n1;;b;2.500\n1;;c;7`,
    ["2 requestedAmount 5,000 cell.ambiguous-number", "3 requestedAmount 2.500 cell.ambiguous-number"],
  ],
  [
    "two decimal signs in one file",
    `${head}\n1;2026-01-01;a;1.000,00\n1;;b;1,000.00`,
    ["3 requestedAmount 1,000.00 cell.decimal-sign"],
  ],
  [
    "a date that could be March or April",
    "number,dueDate,itemNumber,amount\n1,03/04/2026,a,1\n",
    ["2 dueDate 03/04/2026 cell.ambiguous-date"],
  ],
  [
    "dates that do not exist",
    `${head}\n1;30.02.2026;a;1\n2;2026-13-01;a;1\n3;46082;a;1`,
    ["2 dueDate 30.02.2026 cell.date", "3 dueDate 2026-13-01 cell.date", "4 dueDate 46082 cell.serial-date"],
  ],
  [
    "two due dates for one order",
    `${head}\n1;2026-01-01;a;1\n2;2026-01-01;a;1\n1;2026-01-02;b;1`,
    ["4 dueDate 2026-01-02 cell.contradiction"],
  ],
  ["no due date at all", `${head}\n1;;a;1\n`, ["2 dueDate  cell.filled"]],
  ["a first row without a number", `${head}\n;2026-01-01;a;1\n`, ["2 number  row.no-number"]],
  [
    "a line without item or amount",
    `${head}\n1;2026-01-01;;1\n1;;b;\n`,
    ["2 itemNumber  cell.filled", "3 requestedAmount  cell.filled"],
  ],
  ["an order without lines", `${head}\n1;2026-01-01;;\n`, ["2  1 row.no-lines"]],
  [
    "an unknown unit and an unknown request type",
    `${head};unit;requestType\n1;2026-01-01;a;1;parsec;9`,
    ["2 unit parsec cell.one-of", "2 requestType 9 cell.one-of"],
  ],
  [
    "missing columns",
    "number;dueDate\n1;2026-01-01",
    ["1 itemNumber  header.missing", "1 requestedAmount  header.missing"],
  ],
  ["a column that stands there twice", `${head};dueDate\n1;2026-01-01;a;1;2026-01-02`, ["1 dueDate  header.twice"]],
  [
    "JSON with errors in two elements",
    '[{"number":1,"dueDate":"2026-01-01","requests":[]},{"number":"2","requests":[{"itemNumber":"a","requestedAmount":1.5}]}]',
    [
      "1 number 1 cell.text",
      "1 requests [] cell.filled-list",
      "2 dueDate  cell.present",
      "2 requests[0].requestedAmount 1.5 cell.whole-number",
    ],
  ],
  [
    "JSON with a date that does not exist",
    '[{"number":"1","dueDate":"2026-02-30","requests":[{"itemNumber":"a","requestedAmount":1}]}]',
    ['1 dueDate "2026-02-30" cell.date'],
  ],
  [
    "JSON with one number twice",
    '[{"number":"1","dueDate":"2026-01-01","requests":[{"itemNumber":"a","requestedAmount":1}]},{"number":"1","dueDate":"2026-01-02","requests":[{"itemNumber":"a","requestedAmount":1}]}]',
    ["2 number 1 cell.duplicate"],
  ],
  ["JSON that is only a number in a list", "[42]", ["1  42 cell.object"]],
  [
    "JSON with members named __proto__",
    '[{"number":"1","dueDate":"2026-01-01","requests":[{"itemNumber":"a","requestedAmount":1}]},{"number":"2","dueDate":"2026-01-01","externalData":{"x":{"__proto__":{"y":1}}},"requests":[{"itemNumber":"a","requestedAmount":1,"__proto__":2}]}]',
    ['2 externalData.x.__proto__ {"y":1} cell.reserved-name', "2 requests[0].__proto__ 2 cell.reserved-name"],
  ],
  [
    "JSON with __proto__ spelled in escapes, beside another error",
    '[{"number":"","\\u005f_proto__":1,"dueDate":"2026-01-01","requests":[{"itemNumber":"a","requestedAmount":1}]}]',
    ["1 __proto__ 1 cell.reserved-name", '1 number "" cell.filled-text'],
  ],
  [
    "JSON with __proto__ around the list",
    '{"__proto__":{"a":1},"data":[]}',
    ['1 __proto__ {"a":1} cell.reserved-name'],
  ],
];

test.each(bad)("%s: is refused with row, column, value and what is expected", (_title, file, problems) => {
  expect(read(file)).toEqual({ result: "InvalidInput", message: "files.refused", problems, count: problems.length });
});

const bytes = (...codes: number[]) => Buffer.concat([Buffer.from(codes), Buffer.from("some more bytes")]);
const refused: [title: string, file: string | Buffer, result: string, message: string][] = [
  ["an empty file", "", "InvalidInput", "files.empty"],
  ["nothing but a mark and blank lines", "\ufeff\n \r\n", "InvalidInput", "files.empty"],
  ["a header that says nothing", "foo;bar\n1;2\n", "InvalidInput", "files.header.unknown"],
  ["a million columns", `${"x;".repeat(1_000_000)}\n`, "InvalidInput", "files.header.too-wide"],
  ["a million lines of one letter", "x\n".repeat(1_000_000), "InvalidInput", "files.header.unknown"],
  ["an XLS workbook", bytes(0xd0, 0xcf, 0x11, 0xe0), "FileNotSupported", "files.kind.excel"],
  ["nothing but the start of a ZIP archive", Buffer.from("PK\u0003\u0004"), "FileNotSupported", "files.kind.archive"],
  ["a gzip archive", bytes(0x1f, 0x8b, 8), "FileNotSupported", "files.kind.archive"],
  ["a PDF", Buffer.from("%PDF-1.7 ..."), "FileNotSupported", "files.kind.pdf"],
  ["a PNG", bytes(0x89, 0x50, 0x4e, 0x47), "FileNotSupported", "files.kind.image"],
  ["a JPEG", bytes(0xff, 0xd8, 0xff), "FileNotSupported", "files.kind.image"],
  ["XML", '<?xml version="1.0"?><orders/>', "FileNotSupported", "files.kind.xml"],
  ["an HTML page", "<!DOCTYPE html><table>", "FileNotSupported", "files.kind.xml"],
  ["a program", bytes(0x7f, 0x45, 0x4c, 0x46), "FileNotSupported", "files.kind.binary"],
  [
    "bytes of no kind",
    Buffer.from(Array.from({ length: 500 }, (_, index) => (index * 37) % 256)),
    "FileNotSupported",
    "files.kind.binary",
  ],
];

test.each(refused)("%s: is refused as a whole", (_title, file, result, message) => {
  expect(read(file)).toMatchObject({ result, message });
});

test.each([
  ["a word without quotes", '[\n  {"number": x}\n]', 2, 14],
  ["a comma too many", '[\n  {"number": "1"},\n]', 3, 1],
  ["a comment", '// orders\n[{"number":"1"}]', 1, 1],
  ["behind many lines", `[${'{"number":"1"},\n'.repeat(70_000)}{'number':1}]`, 70_001, 2],
  ["half a document", '[\n{"number":', 2, 11],
])("JSON that is broken by %s is refused with the line and the character", (_title, file, line, column) => {
  const reading = readWorkOrderFile(Buffer.from(file), FileType.Json, settings);
  expect(reading).toMatchObject({ message: { key: "files.not-json", values: { line, column } } });
});

test.each([
  ["broken JSON", '[{"number":"1",\n "dueDate":}]', "files.not-json"],
  ["JSON that stops", '[{"number":"1"', "files.not-json"],
  ["JSON 100,000 levels deep", `${"[".repeat(100_000)}${"]".repeat(100_000)}`, "files.too-deep"],
  ["text that is neither", "hello", "files.not-json"],
])("sent as JSON, %s is refused", (_title, file, message) => {
  expect(read(file, {}, FileType.Json)).toMatchObject({ result: "InvalidInput", message });
});

test("an unknown file type is not supported, whatever the bytes", () => {
  expect(read(`${head}\n1;2026-01-01;a;2`, {}, 7)).toMatchObject({
    result: "FileNotSupported",
    message: "files.unknown-type",
  });
});

const json = (order: object) => JSON.stringify([order]);
const lines = [{ itemNumber: "a", requestedAmount: 1 }];

test.each([
  [
    `${head}\n1;2026-01-01;a;5.000`,
    'Row 2, column "requestedAmount", value "5.000": this can mean 5 or 5000; write the one you mean like that, or set the decimal sign in a file profile.',
  ],
  [`${head}\n1;;a;5`, 'Row 2, column "dueDate": fill in this cell.'],
  [
    json({ number: "1", dueDate: "soon", requests: lines }),
    'Row 1, column "dueDate", value "soon": this is not a date that exists; write it like 2026-12-31.',
  ],
  [
    json({ number: "1", dueDate: "2026-01-01", requests: [{ itemNumber: "a", requestedAmount: "5" }] }),
    'Row 1, column "requests[0].requestedAmount", value "5": a whole number is expected.',
  ],
  [
    json({ number: 1, dueDate: "2026-01-01", requests: lines }),
    'Row 1, column "number", value 1: text in quotation marks is expected.',
  ],
  [json({ number: "1", requests: lines }), 'Row 1, column "dueDate": this field is missing; add it.'],
  ["[42]", "Row 1, value 42: an object in curly brackets is expected."],
  [
    '[{"number":"1","dueDate":"2026-01-01","__proto__":"x","requests":[{"itemNumber":"a","requestedAmount":1}]}]',
    'Row 1, column "__proto__", value "x": no field can have this name; rename or remove it.',
  ],
])("%j is reported in a sentence that names only what is there", (file, sentence) => {
  const reading = readWorkOrderFile(Buffer.from(file), FileType.Csv, settings);
  expect(!reading.ok && reading.problems.map(({ text }) => localise(text, "en"))).toEqual([sentence]);
  for (const language of languages) {
    const words = reading.ok ? "" : reading.problems.map(({ text }) => localise(text, language)).join();
    expect(words).not.toMatch(/""|„“|„”|«»|« »|„"|«"|_absent/);
  }
});

test("one element with __proto__ is left out, if good elements are to be imported", () => {
  const order = (number: string, more = "") =>
    `{"number":"${number}","dueDate":"2026-01-01",${more}"requests":[{"itemNumber":"a","requestedAmount":1}]}`;
  expect(read(`[${order("1")},${order("2", '"__proto__":{},')}]`, { badRecords: "quarantine" })).toEqual({
    orders: ["1: a × 1"],
    withheld: ["2 __proto__ {} cell.reserved-name"],
  });
});

test("the name __proto__ in a text is a text like any other", () => {
  const file = json({ number: "__proto__", dueDate: "2026-01-01", requests: lines });
  expect(read(file)).toMatchObject({ orders: ["__proto__: a × 1"] });
});

test("one bad line makes only its own order bad, if good orders are to be imported", () => {
  const file = `${head}\n1;2026-01-01;a;2\n1;;b;0\n2;2026-01-01;c;3\n3;2026-01-01;d`;
  expect(read(file)).toMatchObject({ result: "InvalidInput", count: 2 });
  expect(read(file, { badRecords: "quarantine" })).toEqual({
    orders: ["2: c × 3"],
    withheld: ["3 requestedAmount 0 cell.amount", "5   row.cells"],
  });
  expect(read(`${head}\n1;2026-01-01;a;0`, { badRecords: "quarantine" })).toMatchObject({ result: "InvalidInput" });
});

test("a hundred problems are reported and all are counted", () => {
  const rows = Array.from({ length: 5_000 }, (_, index) => `${index};2026-01-01;a;none`);
  const reading = readWorkOrderFile(Buffer.from([head, ...rows].join("\n")), FileType.Csv, settings);
  expect(reading).toMatchObject({ ok: false, problemCount: 5_000 });
  expect(!reading.ok && reading.problems).toHaveLength(100);
});

test("a profile recognised by its header row names columns and settles what cannot be seen", () => {
  const profile = {
    name: "old host",
    columns: { AUFNR: "number", TERM: "dueDate", MATNR: "itemNumber", MG: "requestedAmount", TXT: "itemName" },
    encoding: "cp850" as const,
    decimalSign: "," as const,
    dateOrder: "mdy" as const,
  };
  const file = Buffer.concat([
    Buffer.from("AUFNR|TERM|MATNR|MG|TXT\n1|03/04/2026|a|1,000|M"),
    Buffer.from([0x81]),
    Buffer.from("tter\n"),
  ]);
  const reading = readWorkOrderFile(file, FileType.Csv, { ...settings, profiles: [profile] });
  expect(reading).toMatchObject({
    ok: true,
    detected: { profile: "old host", encoding: "cp850", decimalSign: ",", dateOrder: "mdy" },
    records: [
      { number: "1", dueDate: "2026-03-04T08:00:00+01:00", requests: [{ itemName: "Mütter", requestedAmount: 1 }] },
    ],
  });
  expect(read(file)).toMatchObject({ message: "files.header.unknown" });
});

test("unused columns are reported and kept out of the orders", () => {
  const reading = readWorkOrderFile(Buffer.from(`${head};colour\n1;2026-01-01;a;2;red`), FileType.Csv, settings);
  expect(reading.detected?.columns.at(-1)).toEqual({ header: "colour", field: null });
  expect(JSON.stringify(reading.ok && reading.records)).not.toContain("red");
});

test("items are read one per row, and the same number with other content is an error", () => {
  const file = "Artikelnummer;Bezeichnung;Gewicht;Einheit\n007;Schraube;1,5;kg\n007;Schraube;1,5;kg\n8;Mutter;0,250;\n";
  const reading = readItemFile(Buffer.from(file), FileType.Csv, settings);
  expect(reading.ok && reading.records).toEqual([
    { number: "007", name: "Schraube", weight: 1.5, unitOfMeasure: 4 },
    { number: "8", name: "Mutter", weight: 0.25, unitOfMeasure: 0 },
  ]);
  const changed = readItemFile(Buffer.from(`${file}8;Mutter;0,3;\n;x;1;\n9;y;heavy;`), FileType.Csv, settings);
  expect(!changed.ok && changed.problems.map(brief)).toEqual([
    "5 Artikelnummer 8 cell.duplicate",
    "6 Artikelnummer  cell.filled",
    "7 Gewicht heavy cell.number",
  ]);
});

test("JSON items lose their image and gain their unit", () => {
  const reading = readItemFile(
    Buffer.from('{"items":[{"NUMBER":"1","name":null,"image":"QQ=="}]}'),
    FileType.Json,
    settings,
  );
  expect(reading.ok && reading.records).toEqual([{ number: "1", unitOfMeasure: 0 }]);
});
