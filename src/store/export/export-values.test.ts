import { expect, test } from "vitest";
import type { ExportRow } from "../../contract/schemas/queries.ts";
import { type Log, silentLog } from "../../kit/log.ts";
import { type Clock, manualClock, systemClock } from "../../kit/time/clock.ts";
import { type Outcome, ReadyJsonList } from "../../operation/outcome.ts";
import { openColumns } from "./column.ts";
import { exportValues } from "./export-values.ts";

interface Setting {
  readonly orderText?: (number: string) => string | undefined;
  readonly log?: Log;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
}

async function rowsOf(values: readonly string[], rows: readonly ExportRow[], setting: Setting = {}) {
  const definitions = values.map((value, index) => ({ key: `k${index + 1}`, value }));
  const columns = await openColumns(definitions, setting.log ?? silentLog);
  const query = exportValues({
    columns,
    clock: setting.clock ?? systemClock,
    orderText: setting.orderText ?? (() => undefined),
  });
  const outcome = await query([...rows], { signal: setting.signal ?? new AbortController().signal });
  return rowsIn(outcome);
}

function rowsIn(outcome: Outcome<"getExportValues">) {
  if (!outcome.ok || !(outcome.data instanceof ReadyJsonList)) throw new Error("a list was expected");
  return JSON.parse(`[${[...outcome.data.pieces].join(",")}]`);
}

const row = (externalData: unknown, more: Partial<ExportRow> = {}): ExportRow => ({
  workOrderNumber: "WO-1",
  externalData: typeof externalData === "string" ? externalData : JSON.stringify(externalData),
  ...more,
});
const valuesOf = async (value: string, given: ExportRow, setting?: Setting) =>
  (await rowsOf([value], [given], setting))[0].values;

test("without columns every element gives one row with empty values", async () => {
  expect(await rowsOf([], [row({ a: 1 }), row("broken")])).toEqual([
    { workOrderNumber: "WO-1", values: {} },
    { workOrderNumber: "WO-1", values: {} },
  ]);
  expect(await rowsOf([], [])).toEqual([]);
});

test.each([
  ["lists", `${"[".repeat(30_000)}${"]".repeat(30_000)}`],
  ["a member's lists", `{"a":${"[".repeat(30_000)}${"]".repeat(30_000)}}`],
])(
  "external data with %s that are nested too deep leaves its cell empty, and the other rows as they are",
  async (_, deep) => {
    const rows = [row({ a: 1 }), row(deep), row({ a: 2 })];
    const values = [{ k1: "1" }, {}, { k1: "2" }].map((one) => ({ workOrderNumber: "WO-1", values: one }));
    expect(await rowsOf(["externalData.a"], rows)).toEqual(values);
  },
);

test("values are computed for all columns, one row per element in its order", async () => {
  const many = Array.from({ length: 450 }, (_, index) => row({ a: index }, { workOrderNumber: `WO-${index}` }));
  const expected = many.map(({ workOrderNumber }, index) => ({
    workOrderNumber,
    values: { k1: String(index), k2: String(index) },
  }));
  expect(await rowsOf(["externalData.a", "externalData.a"], many)).toEqual(expected);
  expect(await rowsOf(["externalData.a", "$string(externalData.a)"], many)).toEqual(expected);
});

test.each([
  ["a text", "x", "x"],
  ["an empty text", "", ""],
  ["a number", 1.5, "1.5"],
  ["zero", 0, "0"],
  ["a flag", false, "false"],
  ["an object", { b: [1] }, '{"b":[1]}'],
  ["a list", [1, "x"], '[1,"x"]'],
])("%s becomes a text", async (_kind, given, text) => {
  expect(await valuesOf("externalData.a", row({ a: given }))).toEqual({ k1: text });
});

test("a missing member and a null leave their key out", async () => {
  expect(await valuesOf("externalData.a", row({ b: 1 }))).toEqual({});
  expect(await valuesOf("externalData.a", row({ a: null }))).toEqual({});
  expect(await valuesOf("externalData.a.b.c", row({ a: "x" }))).toEqual({});
  expect(await valuesOf("externalData.a & ''", row({ a: null }))).not.toHaveProperty("k2");
});

test.each([["{broken"], [""], [null], ["NaN"], ["{'a':1}"]])(
  "unreadable external data (%s) gives an empty row, for paths and expressions",
  async (externalData) => {
    const given = { workOrderNumber: "WO-1", externalData };
    expect(await rowsOf(["externalData.a", "$uppercase(externalData.a)"], [given])).toEqual([
      { workOrderNumber: "WO-1", values: {} },
    ]);
  },
);

test("delivery note and delivery address can be read like the order's own data", async () => {
  const given = row(
    { a: "order" },
    { deliveryNoteExternalData: '{"a":"note"}', deliveryAddressExternalData: '{"a":"address"}' },
  );
  expect((await rowsOf(["externalData.a", "deliveryNote.a", "deliveryAddress.a"], [given]))[0].values).toEqual({
    k1: "order",
    k2: "note",
    k3: "address",
  });
});

test("the order is read from the store where a column uses it, and only there", async () => {
  const asked: string[] = [];
  const orderText = (number: string) => {
    asked.push(number);
    return number === "WO-1" ? '{"deliveryNumber":"D-7"}' : undefined;
  };
  await rowsOf(["externalData.lines", "externalData.a & 'order'"], [row({})], { orderText });
  expect(asked).toEqual([]);
  const rows = [row({}), row({}, { workOrderNumber: "unknown" })];
  expect(await rowsOf(["order.deliveryNumber", "$lowercase(order.deliveryNumber)"], rows, { orderText })).toEqual([
    { workOrderNumber: "WO-1", values: { k1: "D-7", k2: "d-7" } },
    { workOrderNumber: "unknown", values: {} },
  ]);
  expect(asked).toEqual(["WO-1", "unknown"]);
});

test("a number with more digits than a computer's number holds keeps all of them", async () => {
  const text = '{"a":12345678901234567891,"list":[{"a":90071992547409931}]}';
  expect(await valuesOf("externalData.a", row(text))).toEqual({ k1: "12345678901234567891" });
  expect(await valuesOf("externalData.list.a", row(text))).toEqual({ k1: "90071992547409931" });
});

test("an expression computes its value, patterns included", async () => {
  const given = row({ first: "Ada", last: "Lovelace", code: "AB-0042-x", lines: [{ n: 2 }, { n: 3 }] });
  const expressions = [
    "externalData.first & ' ' & externalData.last",
    "$sum(externalData.lines.n)",
    "$replace(externalData.code, /[a-z]+-0*/i, '')",
    "$match(externalData.code, /(\\d+)-(X)/i).groups[1]",
    "$split(externalData.code, /-/)[1]",
    "$contains(externalData.code, /^ab/)",
  ];
  expect((await rowsOf(expressions, [given]))[0].values).toEqual({
    k1: "Ada Lovelace",
    k2: "5",
    k3: "42-x",
    k4: "x",
    k5: "0042",
    k6: "false",
  });
});

test("a pattern that takes forever elsewhere is answered at once", async () => {
  const given = row({ a: `${"a".repeat(5000)}!` });
  expect(await valuesOf("$contains(externalData.a, /^(a+)+$/)", given)).toEqual({ k1: "false" });
});

test("an expression that fails on a row leaves that cell empty, and is logged once", async () => {
  const told: string[] = [];
  const log = { ...silentLog, warn: (_fields: object, text: string) => void told.push(text) };
  const rows = [row({ a: "x" }), row({ a: "x" }), row({ a: 4 })];
  const cells = await rowsOf(["externalData.a * 2"], rows, { log });
  expect(cells.map(({ values }: { values: object }) => values)).toEqual([{}, {}, { k1: "8" }]);
  expect(told.length).toBe(1);
});

test("an expression without end is stopped", async () => {
  expect(await valuesOf("($f := function($x) { $f($x + 1) + 1 }; $f(externalData.a))", row({ a: 1 }))).toEqual({});
});

test("an expression that runs out of time is not tried again in that export, and the next one starts afresh", async () => {
  const told: object[] = [];
  const log = { ...silentLog, warn: (fields: object) => void told.push(fields) };
  const endless = "($f := function($n) { $n = 0 ? 0 : $f($n - 1) }; $f(externalData.a))";
  const columns = await openColumns(
    [
      { key: "k1", value: endless },
      { key: "k2", value: "externalData.a + 1" },
    ],
    log,
  );
  const query = exportValues({ columns, clock: systemClock, orderText: () => undefined });
  const cellsOf = async (...numbers: number[]) => {
    const outcome = await query(
      numbers.map((a) => row({ a })),
      { signal: new AbortController().signal },
    );
    return rowsIn(outcome).map(({ values }: { values: object }) => values);
  };
  expect(await cellsOf(3, -1, 3, -1, -1)).toEqual([
    { k1: "0", k2: "4" },
    { k2: "0" },
    { k2: "4" },
    { k2: "0" },
    { k2: "0" },
  ]);
  expect(told).toMatchObject([{ column: "k1" }]);
  expect(await cellsOf(3)).toEqual([{ k1: "0", k2: "4" }]);
});

test("slow rows let others in between, and end with the caller's patience", async () => {
  const gone = new AbortController();
  const clock = manualClock();
  const orderText = (number: string) => {
    // Each row takes long; the caller gives up while the second is computed.
    clock.advance({ ms: 20 });
    if (number === "WO-2") setImmediate(() => gone.abort());
    if (number === "WO-4") throw new Error("nobody waits for this row");
    return "{}";
  };
  const rows = ["WO-1", "WO-2", "WO-3", "WO-4"].map((workOrderNumber) => row({}, { workOrderNumber }));
  const asked = rowsOf(["$string(order.a)"], rows, { orderText, clock, signal: gone.signal });
  await expect(asked).rejects.toThrow(/abort/);
});

test("nothing more is computed once the caller has gone", async () => {
  const signal = AbortSignal.abort();
  await expect(rowsOf(["externalData.a & ''"], [row({ a: 1 })], { signal })).rejects.toThrow();
});

test.each([
  ["externalData.a &", /k1.*cannot be used/],
  ["$match(externalData.a, /(?=x)/)", /k1.*cannot be used/],
  ["external.customer", /externalData, deliveryNote, deliveryAddress, order/],
])("the expression %s is refused at the start", async (value, message) => {
  await expect(openColumns([{ key: "k1", value }], silentLog)).rejects.toThrow(message);
});

test("two columns with one key, and a key that no object can hold, are refused at the start", async () => {
  const value = "externalData.a";
  await expect(
    openColumns(
      [
        { key: "k", value },
        { key: "k", value },
      ],
      silentLog,
    ),
  ).rejects.toThrow(/twice/);
  await expect(openColumns([{ key: "__proto__", value }], silentLog)).rejects.toThrow(/__proto__/);
});

test("members of the order's external data are read, which the order has as text", async () => {
  const orderText = () =>
    JSON.stringify({ number: "WO-1", externalData: '{"customer":{"name":"Kranz"},"no":12345678901234567890}' });
  const values = [
    "order.externalData.customer.name",
    "$uppercase(order.externalData.customer.name)",
    "order.externalData.no",
  ];
  expect(await rowsOf(values, [row({})], { orderText })).toEqual([
    { workOrderNumber: "WO-1", values: { k1: "Kranz", k2: "KRANZ", k3: "12345678901234567890" } },
  ]);
  const text = () => JSON.stringify({ externalData: "no JSON" });
  expect(await valuesOf("order.externalData.a", row({}), { orderText: text })).toEqual({});
  expect(await valuesOf("order.externalData", row({}), { orderText })).toEqual({
    k1: '{"customer":{"name":"Kranz"},"no":12345678901234567890}',
  });
});
