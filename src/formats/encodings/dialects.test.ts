import fc from "fast-check";
import iconv from "iconv-lite";
import { expect, test } from "vitest";
import { FileType } from "../../contract/enums.ts";
import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import { readItemFile, readWorkOrderFile } from "../import/read-file.ts";
import type { Encoding } from "./encoding.ts";

const settings = { dates: { timeZone: "Europe/Berlin", timeOfDay: "08:00" } };

const golden = [
  ["Auftragsnummer", "Fälligkeit", "Wunschlieferdatum", "Lager", "Artikelnummer", "Bezeichnung", "Menge", "Einheit"],
  ["0001", "31.12.2026", "02.01.2027 14:30", "Süd", "000420", 'Schraube "M8", verzinkt', "1.000,00", "Stück"],
  ["", "", "", "", "7", "Öl; 5 l | Kanister", "3", "l"],
  ["0002", "01.03.2026", "", "Süd", "000420", "Mutter\tgroß", "12", "Stk"],
  ["0001", "31.12.2026", "", "", "X-9", "Zeile 1\nZeile 2", "5", "m²"],
];

const goldenOrders: WorkOrder[] = [
  {
    number: "0001",
    dueDate: "2026-12-31T08:00:00+01:00",
    customerRequiredDeliveryDate: "2027-01-02T14:30:00+01:00",
    designatedStorageName: "Süd",
    requests: [
      line("000420", 'Schraube "M8", verzinkt', 1000, 0, 1),
      line("7", "Öl; 5 l | Kanister", 3, 7, 2),
      line("X-9", "Zeile 1\nZeile 2", 5, 12, 3),
    ],
  },
  {
    number: "0002",
    dueDate: "2026-03-01T08:00:00+01:00",
    designatedStorageName: "Süd",
    requests: [line("000420", "Mutter\tgroß", 12, 0, 1)],
  },
];

function line(itemNumber: string, itemName: string, requestedAmount: number, unit: 0 | 7 | 12, order: number) {
  return { itemNumber, itemName, requestedAmount, unitOfMeasure: unit, requestType: 1 as const, order };
}

function written(rows: readonly (readonly string[])[], delimiter: string, lineEnd: string): string {
  const cell = (text: string) => (/["\r\n;,\t|]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return rows.map((cells) => cells.map(cell).join(delimiter) + lineEnd).join("");
}

const encoders: Record<string, (text: string) => Buffer> = {
  "UTF-8": (text) => Buffer.from(text),
  "UTF-8 with mark": (text) => Buffer.from(`\ufeff${text}`),
  "UTF-16 LE with mark": (text) => Buffer.from(`\ufeff${text}`, "utf16le"),
  "UTF-16 LE": (text) => Buffer.from(text, "utf16le"),
  "UTF-16 BE with mark": (text) => Buffer.from(`\ufeff${text}`, "utf16le").swap16(),
  "UTF-16 BE": (text) => Buffer.from(text, "utf16le").swap16(),
  "Windows-1252": (text) => iconv.encode(text, "windows-1252"),
  "code page 850": (text) => iconv.encode(text, "cp850"),
};
const singleByte: Record<string, { encoding: Encoding }> = {
  "Windows-1252": { encoding: "windows-1252" },
  "code page 850": { encoding: "cp850" },
};
const delimiters = { semicolon: ";", comma: ",", tab: "\t", pipe: "|" };
const lineEnds = { "CR LF": "\r\n", LF: "\n", CR: "\r" };

const dialects = Object.keys(encoders).flatMap((encoding) =>
  Object.entries(delimiters).flatMap(([delimiterName, delimiter]) =>
    Object.entries(lineEnds).map(([endName, lineEnd]) => ({ encoding, delimiterName, delimiter, endName, lineEnd })),
  ),
);

test.each(dialects)("one file gives the same orders in $encoding, $delimiterName, $endName", (dialect) => {
  // Line breaks inside a cell stay unchanged, so the cell is the same in every dialect.
  const bytes = encoders[dialect.encoding]?.(written(golden, dialect.delimiter, dialect.lineEnd)) ?? Buffer.alloc(0);
  const reading = readWorkOrderFile(bytes, FileType.Csv, settings);
  expect(reading).toMatchObject({
    ok: true,
    detected: { delimiter: dialect.delimiter, decimalSign: ",", dateOrder: "dmy" },
  });
  expect(reading.ok && reading.records).toEqual(goldenOrders);
});

test.each([
  ["1.234,5", "0,25", 1234.5, 0.25],
  ["1,234.5", "0.25", 1234.5, 0.25],
  ["1234,5", "1.000", 1234.5, 1000],
  ["1234.5", "1,000", 1234.5, 1000],
  ["1 234,5", "2", 1234.5, 2],
  ["1’234.5", "2", 1234.5, 2],
  ["1.500", "0.250", 1.5, 0.25],
  ["012.345", "1.234.567", 12345, 1234567],
])("weights %s and %s tell the decimal sign by themselves", (first, second, one, other) => {
  const bytes = Buffer.from(`number\tweight\nA\t${first}\nB\t${second}\n`);
  const reading = readItemFile(bytes, FileType.Csv, settings);
  expect(reading.ok && reading.records.map(({ weight }) => weight)).toEqual([one, other]);
});

const threeDigits = fc
  .tuple(fc.integer({ min: 1, max: 999 }), fc.constantFrom(".", ","), fc.integer({ min: 0, max: 999 }))
  .map(([whole, sign, rest]) => ({ whole, sign, rest: String(rest).padStart(3, "0") }));
const itemFile = (weights: readonly string[], delimiter: string, heading: string) =>
  Buffer.from(
    written([["number", heading], ...weights.map((weight, index) => [`i${index}`, weight])], delimiter, "\n"),
  );
const anyDelimiter = fc.constantFrom(...Object.values(delimiters));
const anyHeading = fc.constantFrom("weight", "Gewicht", "poids");

test("ambiguous numbers are all refused if nothing else in the file decides", () => {
  fc.assert(
    fc.property(
      fc.array(threeDigits, { minLength: 1, maxLength: 5 }),
      fc.array(fc.constantFrom("7", "1 000", "1'500", ""), { maxLength: 3 }),
      anyDelimiter,
      anyHeading,
      (cells, plain, delimiter, heading) => {
        const weights = [...cells.map(({ whole, sign, rest }) => whole + sign + rest), ...plain];
        const reading = readItemFile(itemFile(weights, delimiter, heading), FileType.Csv, settings);
        expect(reading).toMatchObject({ ok: false, problemCount: cells.length });
        const keys = reading.ok ? [] : reading.problems.map(({ text }) => text.key);
        expect(new Set(keys)).toEqual(new Set(["files.cell.ambiguous-number"]));
        // An unknown decimal sign is not reported either.
        expect(reading.detected).not.toHaveProperty("decimalSign");
      },
    ),
  );
});

test("one cell or a profile decides for all numbers of the file, wherever it stands", () => {
  fc.assert(
    fc.property(
      fc.array(threeDigits, { minLength: 1, maxLength: 5 }),
      fc.nat(5),
      fc.constantFrom(".", ","),
      fc.boolean(),
      anyDelimiter,
      anyHeading,
      (cells, place, decimalSign, byProfile, delimiter, heading) => {
        const weights = cells.map(({ whole, sign, rest }) => whole + sign + rest);
        const expected = cells.map(({ whole, sign, rest }) =>
          sign === decimalSign ? Number(`${whole}.${rest}`) : Number(`${whole}${rest}`),
        );
        if (!byProfile) {
          weights.splice(place, 0, `0${decimalSign}25`);
          expected.splice(place, 0, 0.25);
        }
        const profiles = byProfile
          ? [{ name: "known", header: ["number"], decimalSign: decimalSign as "." | "," }]
          : [];
        const file = itemFile(weights, delimiter, heading);
        const reading = readItemFile(file, FileType.Csv, { ...settings, profiles });
        expect(reading.ok && reading.records.map(({ weight }) => weight)).toEqual(expected);
        expect(reading.detected).toMatchObject({ decimalSign, decimalBasis: byProfile ? "profile" : "evidence" });
      },
    ),
  );
});

test("what a late row shows is applied to the rows before it", () => {
  const early = Array.from({ length: 2_000 }, (_, index) => `${index},03/04/2026,a,1`);
  const file = (last: string) => Buffer.from(["number,due date,item,qty", ...early, `last,${last},a,1`].join("\n"));
  const american = readWorkOrderFile(file("12/31/2026"), FileType.Csv, settings);
  const british = readWorkOrderFile(file("31/12/2026"), FileType.Csv, settings);
  expect(american.ok && american.records[0]?.dueDate).toBe("2026-03-04T08:00:00+01:00");
  expect(british.ok && british.records[0]?.dueDate).toBe("2026-04-03T08:00:00+02:00");
});

const text = fc
  .string({
    unit: fc.constantFrom("a", "Z", "0", "é", "ß", " ", ";", ",", '"', "|", "'", "-", "\n"),
    minLength: 1,
    maxLength: 12,
  })
  .map((value) => `x${value}x`);
const identifier = fc.oneof(
  text.map((value) => value.replaceAll("\n", "")),
  fc.stringMatching(/^0[0-9]{1,8}$/),
);
const orderArbitrary = fc.record(
  {
    number: identifier,
    dueDate: fc
      .integer({ min: Date.UTC(2020, 0) / 60_000, max: Date.UTC(2035, 0) / 60_000 })
      .map((minute) => `${new Date(minute * 60_000).toISOString().slice(0, 19)}Z`),
    description: text,
    deliveryNumber: identifier,
    requests: fc.array(
      fc.record(
        {
          itemNumber: identifier,
          requestedAmount: fc.integer({ min: 1, max: 1e9 }),
          lotNumber: identifier,
          order: fc.integer({ min: -5, max: 99 }),
        },
        { requiredKeys: ["itemNumber", "requestedAmount", "order"] },
      ),
      { minLength: 1, maxLength: 4 },
    ),
  },
  { requiredKeys: ["number", "dueDate", "requests"] },
);

test("any orders written as CSV in any dialect are read back", () => {
  const orders = fc.uniqueArray(orderArbitrary, { selector: (order) => order.number, minLength: 1, maxLength: 6 });
  const header = [
    "NUMBER",
    "DueDate",
    "Description",
    "deliverynumber",
    "itemNumber",
    "requestedAmount",
    "lotNumber",
    "sequence",
  ];
  fc.assert(
    fc.property(orders, fc.constantFrom(...dialects), fc.boolean(), (list, dialect, isRepeated) => {
      const rows = list.flatMap((order) =>
        order.requests.map((request, index) => {
          const head = [order.number, order.dueDate, order.description ?? "", order.deliveryNumber ?? ""];
          const start = index === 0 || isRepeated ? head : ["", "", "", ""];
          return [
            ...start,
            request.itemNumber,
            String(request.requestedAmount),
            request.lotNumber ?? "",
            String(request.order),
          ];
        }),
      );
      const bytes = encoders[dialect.encoding]?.(written([header, ...rows], dialect.delimiter, dialect.lineEnd));
      const reading = readWorkOrderFile(bytes ?? Buffer.alloc(0), FileType.Csv, {
        ...settings,
        // In random letters nothing shows the code page.
        ...(singleByte[dialect.encoding] ?? {}),
      });
      const expected = list.map(({ requests, ...order }) => ({
        ...order,
        requests: requests.map((request) => ({ ...request, unitOfMeasure: 0, requestType: 1 })),
      }));
      expect(reading.ok && reading.records).toEqual(expected);
    }),
  );
});
