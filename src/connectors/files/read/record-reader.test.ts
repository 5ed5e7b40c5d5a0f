import { describe, expect, test } from "vitest";
import { localise } from "../../../messages/localise.ts";
import type { Incoming } from "../options.ts";
import { recordReader } from "./record-reader.ts";

const dates = { timeZone: "Europe/Berlin", timeOfDay: "08:00" };

async function read(given: Incoming, text: string | Buffer, name = "file") {
  const reading = await recordReader(given, dates).read(name, Buffer.from(text));
  if ("refusal" in reading) {
    return { refusal: reading.refusal.map((one) => (typeof one === "string" ? one : localise(one.text, "en"))) };
  }
  return {
    elements: reading.records.map(({ element }) => element),
    problems: reading.records.flatMap(({ problems }) => problems),
    withheld: reading.withheld.map(({ text: one }) => localise(one, "en")),
  };
}

const map = {
  number: "VBELN",
  dueDate: { from: "WADAT", date: "dd.MM.yyyy" },
  requests: {
    each: "rows",
    map: { itemNumber: "MATNR", requestedAmount: { from: "KWMENG", number: { decimal: "," } } },
  },
};

describe("CSV", () => {
  test("orders are read by their headings, as uploads are", async () => {
    const { elements } = await read(
      { topic: "workOrders" },
      "Auftragsnummer;Fällig am;Artikel;Menge\n007;31.1.2030;A-1;2\n007;;A-2;3\n",
    );
    expect(elements).toMatchObject([{ number: "007", requests: [{ itemNumber: "A-1" }, { itemNumber: "A-2" }] }]);
  });

  test("stock and cancellations are read by their headings too", async () => {
    const stock = await read({ topic: "stock" }, "Artikelnummer;Lagerplatz;Bestand\nA-1;R1;3,5\n");
    expect(stock.elements).toEqual([{ itemNumber: "A-1", locationName: "R1", amount: 3.5 }]);
    const cancellations = await read(
      { topic: "cancellations" },
      "workOrderNumber,itemNumber,requestedAmount,reason\n0012,A,0,late\n13,,,\n",
    );
    expect(cancellations.elements).toEqual([
      { workOrderNumber: "0012", itemNumber: "A", requestedAmount: 0, reason: "late" },
      { workOrderNumber: "13" },
    ]);
    const values = await read({ topic: "indexableValues" }, "Auftragsnummer;Referenz\n0012;T-7\n");
    expect(values.elements).toEqual([{ workOrderNumber: "0012", value: "T-7" }]);
    expect(await read({ topic: "stock" }, "Artikelnummer;Bestand\nA-1;viel\n")).toEqual({
      refusal: [expect.stringContaining('Row 2, column "Bestand", value "viel"')],
    });
  });

  test("rows of one key become one record for the mapping, whatever delimiter and encoding", async () => {
    const text =
      "Liste vom 1.1.\nVBELN|WADAT|MATNR|KWMENG\n0080|31.01.2030|Größe-1|2,0\n|31.01.2030|B|1\n0081|01.02.2030|C|5\n";
    const { elements, problems } = await read(
      { topic: "workOrders", map, groupBy: "VBELN" },
      Buffer.from(text, "latin1"),
    );
    expect(problems).toEqual([]);
    expect(elements).toMatchObject([
      {
        number: "0080",
        requests: [
          { itemNumber: "Größe-1", requestedAmount: 2 },
          { itemNumber: "B", requestedAmount: 1 },
        ],
      },
      { number: "0081", requests: [{ itemNumber: "C", requestedAmount: 5 }] },
    ]);
  });

  test("an amount that is no whole number is named with its source, and not rounded", async () => {
    const { problems } = await read(
      { topic: "workOrders", map, groupBy: "VBELN" },
      "VBELN;WADAT;MATNR;KWMENG\n1;31.01.2030;A;1,5\n",
    );
    expect(problems).toMatchObject([
      { field: "requests[0].requestedAmount", source: expect.stringContaining("KWMENG") },
    ]);
  });

  test("a file without any of the mapped columns, or without the one to group by, is refused", async () => {
    expect(await read({ topic: "workOrders", map, groupBy: "VBELN" }, "a;b\n1;2\n")).toEqual({
      refusal: [expect.stringContaining("VBELN, WADAT")],
    });
    expect(await read({ topic: "workOrders", map, groupBy: "Key" }, "VBELN;WADAT;MATNR;KWMENG\n1;;;\n")).toEqual({
      refusal: ['there is no column "Key" to group by'],
    });
    expect(() => recordReader({ topic: "items", groupBy: "x" }, dates)).toThrow("`groupBy` needs `map`");
  });
});

describe("JSON", () => {
  test("a list, one object, or the list under a usual name or a path", async () => {
    for (const text of ['[{"number":"1"}]', '{"number":"1"}', '{"items":[{"number":"1"}]}']) {
      expect((await read({ topic: "items" }, text)).elements).toEqual([{ number: "1" }]);
    }
    const deep = '{"export":{"rows":[{"sku":"1"}]}}';
    const { elements } = await read({ topic: "items", records: "export.rows", map: { number: "sku" } }, deep);
    expect(elements).toEqual([{ number: "1" }]);
    expect(await read({ topic: "items", records: "export.none" }, deep)).toEqual({
      refusal: [expect.stringContaining("nothing at export.none")],
    });
  });

  test.each([
    ['[{"number":', /line 1/i],
    ['{"__proto__":{"x":1}}', /__proto__/],
    ["[".repeat(200), /nested/i],
  ])("what is no JSON or means harm is refused: %s", async (text, reason) => {
    expect((await read({ topic: "items", format: "json" }, text)).refusal?.[0]).toMatch(reason);
  });
});

describe("XML", () => {
  const xml = `<?xml version="1.0"?><Orders><Order id="7"><Due>31.01.2030</Due><Line><Sku>007</Sku><Qty>2</Qty></Line></Order></Orders>`;
  const xmlMap = {
    number: "@id",
    dueDate: { from: "Due", date: "dd.MM.yyyy" },
    requests: { each: "Line", map: { itemNumber: "Sku", requestedAmount: "Qty" } },
  };

  test("records are found by path, or as what repeats, also where there is but one", async () => {
    for (const records of ["Orders.Order", undefined]) {
      const given = { topic: "workOrders" as const, map: xmlMap, ...(records === undefined ? {} : { records }) };
      const { elements, problems } = await read(given, xml);
      expect(problems).toEqual([]);
      expect(elements).toMatchObject([{ number: "7", requests: [{ itemNumber: "007", requestedAmount: 2 }] }]);
    }
  });

  test("elements named as in the contract need no mapping", async () => {
    const text =
      "<items><item><number>007</number><name>Box</name><weight>1.5</weight></item><item><number>8</number></item></items>";
    const { elements, problems } = await read({ topic: "items" }, text);
    expect(problems).toEqual([]);
    expect(elements).toEqual([{ number: "007", name: "Box", weight: 1.5 }, { number: "8" }]);
  });

  test("broken XML is refused with its place, entities with what to do", async () => {
    expect(await read({ topic: "items" }, "<items>\n<item></items>")).toEqual({
      refusal: [expect.stringMatching(/^line 2, column 7: .*<item> is still open/)],
    });
    expect(await read({ topic: "items" }, '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>')).toEqual({
      refusal: [expect.stringContaining("leave it out")],
    });
  });
});

test("a mapping with mistakes is refused when it is opened, with all of them", () => {
  expect(() => recordReader({ topic: "items", map: { nummer: "a" } }, dates)).toThrow(/nummer.*did you mean number/s);
});

describe("a file too large to be read in one go", () => {
  const numbers = Array.from({ length: 4_000 }, (_, index) => `SO-${index}`);
  const csv = `number;dueDate;itemNumber;requestedAmount\n${numbers.map((one) => `${one};31.1.2030;A-1;2${" ".repeat(60)}`).join("\n")}\n`;
  const orders: Incoming = { topic: "workOrders" };

  test("becomes the same records", async () => {
    const json = JSON.stringify(
      numbers.map((number) => ({ number, dueDate: "2030-01-31", requests: [], x: "é".repeat(40) })),
    );
    expect(Buffer.byteLength(json)).toBeGreaterThan(256 * 1024);
    expect((await read(orders, json)).elements).toEqual(JSON.parse(json));
    expect((await read(orders, csv)).elements).toHaveLength(numbers.length);
  });

  test("is refused with the same reason", async () => {
    expect(await read({ ...orders, format: "xml" }, `<a><b>${"x".repeat(300_000)}</a>`)).toEqual({
      refusal: [expect.stringMatching(/line 1, column \d+/)],
    });
    const { refusal } = await read(orders, csv.replace("SO-7;31.1.2030;A-1;2", "SO-7;31.1.2030;A-1;two"));
    expect(refusal).toEqual([expect.stringMatching(/Row 9.*"two/)]);
  });

  test("lets others have their turn while it is read", async () => {
    const xml = `<Orders>${"<Order><Line><Sku>A</Sku></Line></Order>".repeat(60_000)}</Orders>`;
    let turns = 0;
    let isReading = true;
    const turn = () => {
      turns++;
      if (isReading) setImmediate(turn);
    };
    setImmediate(turn);
    const reader = recordReader({ topic: "items", map: { number: "Line.Sku" } }, dates);
    const reading = await reader.read("orders.xml", Buffer.from(xml), 1);
    isReading = false;
    expect(reading).toMatchObject({ records: [{ element: { number: "A" } }] });
    expect(turns).toBeGreaterThan(20);
  });
});
