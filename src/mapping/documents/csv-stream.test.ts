import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PushTopic } from "../../contract/pushes.ts";
import type { FileSettings } from "../../formats/import/file-settings.ts";
import { type ByteFile, byteFileOf } from "../../formats/stream/byte-file.ts";
import { badRecordPolicies } from "../../operation/bad-records.ts";
import { csvRecords } from "./csv-records.ts";
import { csvStream } from "./csv-stream.ts";
import type { SourceRecord, SourceRecords } from "./source-records.ts";
import { tableRecords } from "./table-records.ts";

const dates = { timeZone: "Europe/Berlin", timeOfDay: "08:00" };
interface How {
  readonly topic?: PushTopic;
  readonly settings?: Partial<FileSettings>;
  readonly columns?: readonly string[];
  readonly groupBy?: string;
}

const all = (file: ByteFile | Buffer, { topic = "workOrders", settings = {}, columns, groupBy }: How = {}) => {
  const bytes = Buffer.isBuffer(file) ? byteFileOf(file) : file;
  const found = csvStream(bytes, { topic, settings: { dates, ...settings }, columns, groupBy });
  if ("refusal" in found) return found;
  const { portions, ...head } = found;
  return { ...head, records: [...portions()].flat(), again: [...portions()].flat() };
};
const whole = (bytes: Buffer, { topic = "workOrders", settings = {}, columns, groupBy }: How = {}): SourceRecords =>
  columns === undefined
    ? csvRecords(bytes, topic, { dates, ...settings })
    : tableRecords(bytes, { columns, groupBy, settings: { dates, ...settings } });

/**
 * The part of a reading that must be equal for files in memory and streamed files: verdict, notes, and records in any
 * order.
 */
const told = (reading: SourceRecords | ReturnType<typeof all>) => {
  if ("refusal" in reading) return reading;
  const { withheld, withheldCount, notes, isReady } = reading;
  return { withheld, withheldCount, notes, isReady, records: sorted(reading.records) };
};
const sorted = (records: readonly SourceRecord[]) => records.map(({ value }) => JSON.stringify(value)).toSorted();

const head = "number;dueDate;itemNumber;requestedAmount";
const latin1 = (text: string) => Buffer.from(text, "latin1");
const cases: [title: string, file: string | Buffer, how?: How][] = [
  ["orders one after the other", `${head}\n1;2030-01-31;a;2\n1;;b;3\n2;2030-01-31;c;1\n;;d;1\n`],
  ["orders whose rows stand apart", `${head}\n1;2030-01-31;a;2\n2;2030-01-31;c;1\n1;;b;3\n`],
  ["a contradiction in rows that stand apart", `${head}\n1;2030-01-31;a;2\n2;2030-01-31;c;1\n1;2030-02-01;b;3\n`],
  [
    "a bad row far from its order",
    `${head}\n1;2030-01-31;a;2\n2;2030-01-31;c;1\n1;;b;x\n`,
    { settings: { badRecords: "quarantine" } },
  ],
  ["an order without lines", `${head}\n1;2030-01-31;;\n2;2030-01-31;c;1\n`],
  ["nothing that is good", `${head}\n1;2030-01-31;a;x\n`, { settings: { badRecords: "quarantine" } }],
  ["a sign of decimals that is learnt late", `${head}\n1;2030-01-31;a;1.000\n2;2030-01-31;b;2.000,0\n`],
  ["an order of dates that is learnt late", `${head.replaceAll(";", ",")}\n1,02/03/2030,a,1\n2,02/14/2030,b,2\n`],
  ["an unclosed quote", `${head}\n1;2030-01-31;a;2\n2;2030-01-31;"c;1\n`, { settings: { badRecords: "quarantine" } }],
  ["no known column", "a;b\n1;2\n"],
  ["nothing", ""],
  ["an end mark", `${head}\n1;2030-01-31;a;2\n\u001a`],
  ["UTF-16", Buffer.from(`\ufeff${head}\n1;2030-01-31;Größe-1;2\n`, "utf16le")],
  [
    "Windows-1252",
    latin1(`Auftragsnummer;Fällig am;Artikel;Menge\n1;31.1.2030;Größe;2\n2;31.1.2030;Bügel für Türen;2\n`),
  ],
  [
    "a mixture of encodings",
    Buffer.concat([Buffer.from(`${head}\n1;2030-01-31;Größe;2\n`), latin1("2;2030-01-31;Bügel;2\n")]),
  ],
  [
    "bytes that are no text",
    Buffer.concat([Buffer.from("\ufeff"), latin1(`${head}\n1;2030-01-31;a;2\n2;2030-01-31;B\xfcgel;2\n`)]),
  ],
  ["a lost letter", `${head}\n1;2030-01-31;a;2\n2;2030-01-31;B\ufffdgel;2\n`],
  ["letters written twice", `${head}\n1;2030-01-31;a;2\n2;2030-01-31;MÃ¼ller;2\n`],
  ["a PDF", "%PDF-1.4\n"],
  ["items, one of them twice", "number;name\nA;x\nB;y\nA;x\n", { topic: "items" }],
  [
    "items that contradict each other",
    "number;name\nA;x\nB;y\nA;z\n",
    { topic: "items", settings: { badRecords: "quarantine" } },
  ],
  [
    "stock",
    "Artikelnummer;Bestand\nA-1;3,5\nA-2;viel\nA-3;1\n",
    { topic: "stock", settings: { badRecords: "quarantine" } },
  ],
  [
    "rows that a filter leaves out",
    `${head};Status\n1;2030-01-31;a;2;open\n2;2030-01-31;b;2;done\n`,
    { settings: { where: { Status: "open" } } },
  ],
  ["rows for a mapping", "Id;Qty\n1;2\n2;3\n", { columns: ["Id", "Qty"] }],
  ["rows for a mapping, grouped", 'Id;Qty\n1;2\n;4\n2;3\n="1";5\n', { columns: ["Id", "Qty"], groupBy: "Id" }],
  ["a column to group by that is not there", "Id;Qty\n1;2\n", { columns: ["Id", "Qty"], groupBy: "Key" }],
  ["a formula in a mapped column", "Id;Qty\n1;#N/A\n", { columns: ["Id", "Qty"] }],
];

describe("a CSV file that is read a little at a time gets the verdict of one that is held", () => {
  test.each(cases)("%s", (_title, text, how) => {
    const bytes = Buffer.from(text);
    const reading = all(bytes, how);
    expect(told(reading)).toEqual(told(whole(bytes, how)));
    if ("again" in reading) expect(reading.again).toEqual(reading.records);
  });

  test("whatever rows it has, in whatever order", () => {
    const row = fc.tuple(
      fc.constantFrom("1", "2", "3", "", '="1"', "4711"),
      fc.constantFrom("2030-01-31", "", "31.1.2030", "soon"),
      fc.constantFrom("a", "b", "", "Größe"),
      fc.constantFrom("1", "2", "", "x", "1,5"),
    );
    fc.assert(
      fc.property(fc.array(row, { maxLength: 12 }), fc.constantFrom(...badRecordPolicies), (rows, badRecords) => {
        const bytes = Buffer.from(`${head}\n${rows.map((cells) => cells.join(";")).join("\n")}\n`);
        const how = { settings: { badRecords } };
        expect(told(all(bytes, how))).toEqual(told(whole(bytes, how)));
      }),
      { numRuns: 100 },
    );
  });
});

/** A file with that many orders. */
function longFile(orders: number, change: (row: string, order: number) => string = (row) => row): Buffer {
  const rows = [`${head};Bezeichnung`];
  for (let order = 0; order < orders; order++) {
    rows.push(change(`SO-${order};2030-01-31;A-${order % 977};2;${"Schraube für Türen ".repeat(4)}`, order));
    rows.push(`SO-${order};;B-${order % 31};1;Bügel`);
  }
  return Buffer.from(`${rows.join("\n")}\n`);
}

describe("a file larger than what is held of it", () => {
  const orders = 36_000;
  const file = longFile(orders);

  test("becomes the same records, in portions", () => {
    expect(file.length).toBeGreaterThan(4 << 20);
    const found = csvStream(byteFileOf(file), {
      topic: "workOrders",
      settings: { dates },
      columns: undefined,
      groupBy: undefined,
    });
    if ("refusal" in found) throw new Error(JSON.stringify(found.refusal));
    let count = 0;
    let longest = 0;
    for (const portion of found.portions()) {
      count += portion.length;
      longest = Math.max(longest, portion.length);
    }
    expect(count).toBe(orders);
    expect(longest).toBeLessThan(200);
  });

  test("is refused completely for a bad cell or an invalid byte in its last rows", () => {
    const last = orders - 1;
    const badCell = longFile(orders, (row, order) => (order === last ? row.replace(";2;", ";two;") : row));
    expect(told(all(badCell))).toEqual(told(whole(badCell)));
    const badByte = Buffer.from(file);
    badByte[file.length - 3] = 0xff;
    expect(all(badByte)).toEqual(whole(badByte));
    expect(all(badByte)).toHaveProperty("refusal");
  });

  test("is read as Windows-1252 where only its last row shows that it is", () => {
    const plain = file.toString().replaceAll("ü", "ue");
    const bytes = latin1(`${plain}SO-X;2030-01-31;A-1;1;Größe für Müller\n`);
    const found = all(bytes);
    expect("records" in found ? found.records.length : found).toBe(orders + 1);
  });
});
