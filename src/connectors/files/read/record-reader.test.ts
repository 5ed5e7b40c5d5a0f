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

  test("a fractional amount is reported with its source field, and not rounded", async () => {
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
      refusal: [expect.stringContaining("remove it")],
    });
  });
});

describe("a filter", () => {
  const items = '[{"sku":"1","state":"Open","n":3},{"sku":"2","state":"closed","n":1},{"sku":"3","n":0}]';
  const map = { number: "sku" };
  const numbers = async (where: Incoming["where"], text: string, more: Partial<Incoming> = {}) => {
    const reading = await recordReader(
      { topic: "items", map, ...(where === undefined ? {} : { where }), ...more },
      dates,
    ).read("f", Buffer.from(text));
    if ("refusal" in reading)
      return reading.refusal.map((one) => (typeof one === "string" ? one : localise(one.text, "en")));
    return {
      numbers: reading.records.map(({ element }) => (element as { number: string }).number),
      leftOut: reading.notes.leftOut,
    };
  };

  test.each([
    [{ state: "open" }, ["1"]],
    [{ state: ["OPEN", "closed"] }, ["1", "2"]],
    [{ state: { not: "closed" } }, ["1", "3"]],
    [{ state: { filled: false } }, ["3"]],
    [{ state: { startsWith: "clo" }, n: 1 }, ["2"]],
    ['= state = "Open" or n < 1', ["1", "3"]],
  ])("leaves out records of JSON: %j", async (where, expected) => {
    expect(await numbers(where, items)).toEqual({ numbers: expected, leftOut: 3 - expected.length });
  });

  test("leaves out elements of XML by attribute and text", async () => {
    const xml =
      '<Items><Item state="open"><sku>1</sku><kind a="x">A</kind></Item><Item state="shut"><sku>2</sku></Item></Items>';
    expect(await numbers({ "@state": "open", kind: "a" }, xml, { records: "Items.Item" })).toEqual({
      numbers: ["1"],
      leftOut: 1,
    });
  });

  test("leaves out rows before they are grouped, and never books a row to the order before", async () => {
    const given = {
      topic: "workOrders" as const,
      groupBy: "No",
      map: {
        number: "No",
        dueDate: "Due",
        requests: { each: "rows", map: { itemNumber: "Sku", requestedAmount: "Qty" } },
      },
    };
    const head = "No;Due;Sku;Qty;Kind\n";
    const rows = `${head}1;2030-01-31;A;1;item\n;;note;1;text\n;;B;2;item\n`;
    const wanted = await numbers({ Kind: "item" }, rows, given);
    expect(wanted).toEqual({ numbers: ["1"], leftOut: 1 });
    expect(await numbers({ Kind: "item" }, `${rows}2;2030-01-31;C;1;text\n;;D;1;item\n`, given)).toEqual([
      expect.stringMatching(/^Row 6: the row has no order number/),
    ]);
    expect(await numbers({ Art: "item" }, rows, given)).toEqual([expect.stringMatching(/reads the column Art, which/)]);
  });

  test("that fails or gives neither true nor false refuses the file, and the adapter continues", async () => {
    expect(await numbers("= n", items)).toEqual(["record 1: `where` gives 3 instead of true or false"]);
    expect(await numbers("= state > 1", items)).toEqual([expect.stringMatching(/record 1: `where` failed/)]);
    expect(() => recordReader({ topic: "items", where: "= (" }, dates)).toThrow(/where/);
  });
});

test.each([
  ["#N/A", /error of the spreadsheet/],
  ["=A1+1", /a formula/],
  ["1,23E+12", /lost digits/],
])("what is no value reaches no mapping: %s", async (cell, text) => {
  const given: Incoming = { topic: "items", map: { number: "SKU", name: "TXT" } };
  expect(await read(given, `SKU;TXT\n1;a\n"${cell}";b\n`)).toEqual({ refusal: [expect.stringMatching(text)] });
  expect(await read(given, "SKU;TXT\n1;a\nTotal;\n")).toEqual({ refusal: [expect.stringMatching(/Row 3.*a total/)] });
  expect(await read(given, 'SKU;TXT\n"=""007""";a\n')).toMatchObject({ elements: [{ number: "007" }] });
  expect(await read(given, "SKU;TXT;SKU\n1;a;2\n")).toEqual({ refusal: [expect.stringMatching(/twice/)] });
});

test("JSON with a member twice is refused with its place, whatever path and mapping", async () => {
  const text = '{"export":{"rows":[{"sku":"1"},{"sku":"2","s\\u006bu":"3"}]}}';
  expect(await read({ topic: "items", records: "export.rows", map: { number: "sku" } }, text)).toEqual({
    refusal: [expect.stringMatching(/export\.rows\[1\]\.sku.*given twice/)],
  });
});

test.each([0, 300_000])("long numbers of a JSON file of more than %i bytes keep every digit", async (size) => {
  const filling = size === 0 ? "" : `,{"number":"F","name":"${"x".repeat(size)}"}`;
  const text = `[{"number":"A","erpId":12345678901234567890},{"number":9007199254740993}${filling}]`;
  const plain = await read({ topic: "items" }, text);
  const elements = plain.elements?.slice(0, 2) ?? [];
  expect(JSON.stringify(elements)).toBe('[{"number":"A","erpId":12345678901234567890},{"number":9007199254740993}]');
  const mapped = await read({ topic: "items", map: { number: "number", name: "erpId" } }, text);
  expect(mapped.elements?.slice(0, 2)).toEqual([
    { number: "A", name: "12345678901234567890" },
    { number: "9007199254740993" },
  ]);
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

  test("lets other work run while it is read", async () => {
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
