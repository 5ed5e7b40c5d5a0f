import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { Terminal } from "../command.ts";
import { main } from "../main.ts";

const rules = `
number: DocNum
dueDate: { from: Due, date: dd.MM.yyyy }
requests:
  each: Lines
  map:
    itemNumber: Item
    requestedAmount: { from: Qty, number: { decimal: "," } }
`;
const config = `
timeZone: Europe/Berlin
connectors:
  erp:
    type: http
    token: \${NOT_SET_HERE}
    operations:
      listWorkOrders:
        records: data.orders
        map:
          number: DocNum
          dueDate: Due
          requests: { each: Lines, map: { itemNumber: Item, requestedAmount: Qty } }
      getItem:
        map: { number: Code, name: Name }
      attachWorkOrder:
        map: { order: workOrderNumber, box: containerCode }
`;
const good = { DocNum: 1, Due: "31.12.2026", Lines: [{ Item: "007", Qty: "2,0" }] };
const bad = { DocNum: "", Due: "31.02.2026", Lines: [{ Item: "x", Qty: "1,5" }] };

/** A folder with these files, and the program in it. */
function place(files: Readonly<Record<string, unknown>>) {
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
  }
  const run = async (...argv: string[]) => {
    const out: string[] = [];
    const errors: string[] = [];
    const terminal: Terminal = {
      print: (text) => out.push(text),
      complain: (text) => errors.push(text),
      isInteractive: false,
      colour: false,
      env: {},
      cwd: folder,
      untilStopped: () => Promise.resolve("SIGTERM"),
    };
    const code = await main(["map", ...argv], terminal);
    return { code, out: out.join("\n"), errors: errors.join("\n") };
  };
  return { folder, run };
}

test("a good sample is shown as the platform would get it", async () => {
  const { run } = place({ "erp.yaml": rules, "order.json": good });
  const { code, out } = await run("order.json", "--mapping", "erp.yaml");
  expect(code).toBe(0);
  expect(out).toContain('"dueDate": "2026-12-31T00:00:00Z"');
  expect(out).toContain('"requestType": 1');
  expect(out).toContain("1 record, all valid.");
});

test("every problem of mapping and contract is shown beside its source field", async () => {
  const { run } = place({ "erp.yaml": rules, "orders.json": [good, bad] });
  const { code, out } = await run("orders.json", "--mapping", "erp.yaml");
  expect(code).toBe(1);
  expect(out).toMatch(/2 +DocNum +number +number: /);
  expect(out).toMatch(/2 +Due +dueDate +"31\.02\.2026" is not a date like dd\.MM\.yyyy/);
  expect(out).toMatch(/2 +Lines\.Qty +requests\[0\]\.requestedAmount +1\.5 is not a whole number/);
  expect(out).toContain("2 records, 1 of them with problems.");
});

test("the configuration's own mapping is found by connector and operation, without its secrets", async () => {
  const { run } = place({
    "crossdock.yaml": config,
    "answer.json": { data: { orders: [{ ...good, Due: "2026-12-31", Lines: [{ Item: "7", Qty: 2 }] }] } },
    "items.csv": "Code;Name\n007;Öl\n008;\n",
    "items.xml": "<list><item><Code>007</Code><Name>x</Name></item><item><Code>8</Code></item></list>",
    "event.json": { workOrderNumber: "1", containerCode: "C" },
  });
  const orders = await run("answer.json", "--connector", "erp", "--operation", "listWorkOrders");
  expect(orders).toMatchObject({ code: 0, out: expect.stringContaining("2026-12-31T00:00:00+01:00") });
  const items = await run("items.csv", "--at", "connectors.erp.operations.getItem.map", "--json");
  expect(JSON.parse(items.out)).toEqual([
    { record: { number: "007", name: "Öl", unitOfMeasure: 0 }, problems: [] },
    { record: { number: "008", unitOfMeasure: 0 }, problems: [] },
  ]);
  const xml = await run("items.xml", "--operation", "getItem", "--records", "list.item", "--json");
  expect(JSON.parse(xml.out)).toMatchObject([{ record: { number: "007", name: "x" } }, { record: { number: "8" } }]);
  const event = await run("event.json", "--operation", "attachWorkOrder", "--json");
  expect(JSON.parse(event.out)).toEqual([{ record: { order: "1", box: "C" }, problems: [] }]);
});

test("if several mappings match they are listed, and an unknown one is not guessed", async () => {
  const { run } = place({ "crossdock.yaml": config, "s.json": {} });
  const several = await run("s.json", "--connector", "erp");
  expect(several.code).toBe(1);
  expect(several.errors).toContain("--at connectors.erp.operations.getItem.map");
  expect((await run("s.json", "--connector", "crm")).errors).toContain("no mapping matches");
});

test("a captured sample is a test that passes until the mapping produces a different result", async () => {
  const { folder, run } = place({ "erp.yaml": rules, "orders.json": [good, bad] });
  expect((await run("orders.json", "--mapping", "erp.yaml", "--save", "two-orders")).code).toBe(0);
  expect(JSON.parse(readFileSync(join(folder, "mapping-tests/two-orders.json"), "utf8"))).toMatchObject({
    mapping: { file: "erp.yaml" },
    as: "workOrders",
    sample: [good, bad],
  });
  expect(await run("--test")).toMatchObject({ code: 0, out: expect.stringMatching(/^same +two-orders$/) });

  writeFileSync(join(folder, "erp.yaml"), rules.replace("number: DocNum", "number: { from: DocNum, prefix: W }"));
  const { code, out } = await run("--test");
  expect(code).toBe(1);
  expect(out).toContain('[0].record.number: was "1", is "W1"');
});

test("a test for a mapping of the configuration finds it there again", async () => {
  const { run } = place({ "crossdock.yaml": config, "item.json": { Code: "1", Name: "n" } });
  await run("item.json", "--operation", "getItem", "--save", "item");
  expect(await run("--test")).toMatchObject({ code: 0 });
});

test.each([
  [["s.json", "--mapping", "wrong.yaml"], 3, /wrong\.yaml: numbr: .*number/],
  [["s.json", "--mapping", "none.yaml"], 1, /none\.yaml cannot be read/],
  [["none.json", "--mapping", "erp.yaml"], 1, /none\.json cannot be read/],
  [["s.txt.json", "--mapping", "erp.yaml"], 1, /is not JSON/],
  [["s.json", "--mapping", "erp.yaml", "--records", "a.b"], 1, /no records at a\.b/],
  [["s.json", "--mapping", "erp.yaml", "--as", "wishes"], 1, /records cannot become wishes/],
  [["s.json", "--mapping", "erp.yaml", "--save", "../x"], 1, /is not a valid name/],
  [["--test"], 1, /no mapping tests/],
  [[], 1, /no sample file/],
])("%j is refused with a reason and a next step", async (argv, code, message) => {
  const { run } = place({ "erp.yaml": rules, "wrong.yaml": `numbr: a${rules}`, "s.json": good, "s.txt.json": "<x>" });
  const result = await run(...argv);
  expect(result.errors).toMatch(message);
  expect(result.code).toBe(code);
});
