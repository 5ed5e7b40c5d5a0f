import { writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import type { Terminal } from "../../../src/cli/command.ts";
import { main } from "../../../src/cli/main.ts";
import { receiver } from "../../support/receivers/receiver.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/**
 * Typing errors in a configuration that works, each with the sentence of `crossdock check` that names it. A row is the
 * text that is replaced, the text with the mistake, whether the check fails, and the sentence.
 */
type Typo = readonly [title: string, from: string, to: string, verdict: "fails" | "warns", sentence: RegExp];

async function check(folder: string, text: string) {
  const out: string[] = [];
  const print = (line: string) => void out.push(line);
  const terminal: Terminal = {
    ...{ print, complain: print, isInteractive: false, colour: false, env: {}, cwd: folder },
    untilStopped: () => Promise.resolve("SIGTERM"),
  };
  writeFileSync(join(folder, "crossdock.yaml"), text);
  return { code: await main(["check"], terminal), out: out.join("\n") };
}

const applied = (text: string, [, from, to]: Typo) => {
  expect(text).toContain(from);
  return text.replace(from, () => to);
};

describe("of the http connector", () => {
  const erp = async () => {
    const { url } = await receiver((response, { path }) => {
      const order = { number: "1", due: "2030-01-31", note: null, lines: [{ item: "A", qty: 2, line: "10", lot: "" }] };
      const change = { order: "1", line: "10", reason: "x", changedAt: "2026-11-01T00:00:00Z" };
      const [place = ""] = path.split("?");
      const answers: Record<string, unknown> = {
        "/orders": { data: { items: [order], total: 1 } },
        "/orders/1": { data: order },
        "/wall/1": { data: [order] },
        "/items/A": { data: { no: "A", text: "Bolt", dims: { kg: 1 } } },
        "/cancellations": { data: { items: [change] } },
        "/stock": { data: [{ item: "A", place: "A-1", onHand: 3 }] },
      };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answers[place] ?? {}));
    });
    return new URL(url).origin;
  };
  const config = (origin: string) => `
timeZone: Europe/Berlin
connectors:
  erp:
    type: http
    baseUrl: ${origin}
    success: { absent: error }
    operations:
      listWorkOrders:
        path: /orders
        query: { state: open }
        records: data.items
        page: { by: page, param: page, size: 3, sizeParam: per_page, total: data.total }
        where: { number: { filled: true } }
        map: &order
          number: number
          description: note
          dueDate: due
          requests:
            each: lines
            where: { item: { filled: true } }
            map: { itemNumber: item, requestedAmount: qty, requestExternalIdentifier: line, lotNumber: lot }
      findWorkOrderByCode: { path: "/orders/{code}", records: data, map: *order }
      findPutWallOrders: { path: "/wall/{code}", records: data, map: *order }
      getItem: { path: "/items/{number}", records: data, map: { number: no, name: text, weight: = dims.kg } }
      confirmStep:
        path: /bookings
        map:
          what: { value: pick }
          order: workOrderNumber
          line: requestExternalIdentifier
          qty: line.confirmedAmount
          totes:
            each: amountToConfirmPickingSummary.containersBreakdown
            where: = containerCode != null
            map: { tote: containerCode }
      confirmPutWallPlacement:
        path: /bookings
        body: { order: "{workOrderNumber}", item: "{itemNumber}", qty: "{completedAmount}" }
      attachWorkOrder:
        path: /bookings
        map: { order: workOrderNumber, tote: containerCode }
      cancelPutWallItem: { path: "/bookings/{workOrderNumber}/{itemNumber}" }
      cancelWorkOrderRequest: { path: /bookings }
      relocateCartContainers: { path: /bookings }
      changeStatus: { path: /bookings }
      confirmCartStep: { path: /bookings }
    poll:
      - topic: cancellations
        path: /cancellations
        records: data.items
        since: { path: changedAt, param: changed_since, overlapSeconds: 60 }
        map: { workOrderNumber: order, requestExternalIdentifier: line, reason: reason }
      - topic: stock
        path: /stock
        records: data
        map: { itemNumber: item, amount: onHand, locationName: { from: [bin, place] } }
serve: { workOrders: erp, codeLookup: erp, putWall: erp, items: erp }
events: { to: erp }
`;

  test("without a mistake, nothing is named", async () => {
    expect(await check(temporaryFolder(), config(await erp()))).toEqual({ code: 0, out: "" });
  });

  const typos: readonly Typo[] = [
    ["a zone", "Europe/Berlin", "Europe/Berln", "fails", /Europe\/Berln/],
    ["a type", "type: http", "type: htpp", "fails", /Did you mean http\?/],
    ["an option", "sizeParam: per_page", "sizeParm: per_page", "fails", /Did you mean sizeParam\?/],
    ["a kind of paging", "by: page", "by: pages", "fails", /page\.by/],
    ["a topic", "topic: cancellations", "topic: cancelations", "fails", /topic/],
    ["a capability", "codeLookup: erp", "codeLokup: erp", "fails", /Did you mean codeLookup\?/],
    ["the name of a connector", "putWall: erp", "putWall: epr", "fails", /epr/],
    ["an operation", "getItem:", "getItems:", "fails", /Did you mean getItem\?/],
    [
      "the records of a list",
      "records: data.items\n        page",
      "records: data.item\n        page",
      "fails",
      /data\.item\b/,
    ],
    ["a placeholder", "/orders/{code}", "/orders/{kode}", "fails", /\{kode\} has no value; did you mean code/i],
    ["a number in seconds", "overlapSeconds: 60", "overlapSeconds: 60s", "fails", /overlapSeconds/],
    ["a member of the contract", "reason: reason }", "raeson: reason }", "fails", /did you mean reason\?/],
    ["a member of a line", "itemNumber: item,", "itemNumer: item,", "fails", /did you mean itemNumber\?/],
    [
      "the time of a change",
      "since: { path: changedAt",
      "since: { path: changedat",
      "fails",
      /nothing stands at changedat/,
    ],
    ["a required field", "dueDate: due", "dueDate: deu", "fails", /dueDate/],

    [
      "a field of an event",
      "order: workOrderNumber\n          line",
      "order: workOrderNummer\n          line",
      "fails",
      /did you mean workOrderNumber/,
    ],
    [
      "a field below another",
      "qty: line.confirmedAmount",
      "qty: line.confirmedAmout",
      "fails",
      /did you mean confirmedAmount/,
    ],
    [
      "a list of an event",
      "each: amountToConfirmPickingSummary.containersBreakdown",
      "each: amountToConfirmPickingSummary.containerBreakdown",
      "fails",
      /did you mean containersBreakdown/,
    ],
    [
      "a field of a list",
      "map: { tote: containerCode }",
      "map: { tote: containerKode }",
      "fails",
      /did you mean containerCode/,
    ],
    [
      "a condition of a list",
      "= containerCode != null",
      "= containerKode != null",
      "fails",
      /containerKode here; did you mean containerCode/,
    ],
    ["a placeholder of an event", "{completedAmount}", "{completeAmount}", "fails", /did you mean completedAmount/],
    ["a rule's key", "what: { value: pick }", "what: { vlaue: pick }", "fails", /vlaue/],

    [
      "the line of a cancellation",
      "requestExternalIdentifier: line, reason",
      "requestExternalIdentifier: lien, reason",
      "fails",
      /✗ erp \(http\): poll\[0\]\.map\.requestExternalIdentifier \(crossdock\.yaml:\d+:\d+\): lien: no record has lien here; did you mean line\? \(1 record was read\)\. Without it, the cancellation of one line cancels more/,
    ],
    [
      "the reason of a cancellation",
      "reason: reason }",
      "reason: raeson }",
      "warns",
      /! erp: poll\[0\]\.map\.reason \(\S+:\d+:\d+\): raeson: no record has raeson here; did you mean reason\? \(1 record was read\)/,
    ],
    [
      "the line of an order",
      "requestExternalIdentifier: line, lot",
      "requestExternalIdentifier: lin, lot",
      "warns",
      /operations\.listWorkOrders\.map\.requests\.map\.requestExternalIdentifier \(\S+\): lin: no record has lin here; did you mean line\?/,
    ],
    [
      "the description of an order",
      "description: note",
      "description: nota",
      "warns",
      /map\.description \(\S+\): nota: no record has nota here; did you mean note\?/,
    ],
    ["a lot", "lotNumber: lot", "lotNumber: lott", "warns", /lott: no record has lott here; did you mean lot\?/],
    [
      "the name of an item",
      "name: text",
      "name: txet",
      "warns",
      /operations\.getItem\.map\.name \(\S+\): txet: no record has txet here; did you mean text\?/,
    ],
    [
      "a name in an expression",
      "weight: = dims.kg",
      "weight: = dims.kq",
      "warns",
      /operations\.getItem\.map\.weight \(\S+\): no record has kq here; did you mean kg\?/,
    ],
    [
      "all names of several",
      "{ from: [bin, place] }",
      "{ from: [bin, plcae] }",
      "warns",
      /poll\[1\]\.map\.locationName.*plcae: no record has plcae here; did you mean place\?/,
    ],
    [
      "a condition of a list of records",
      "where: { number: { filled: true } }",
      "where: { numbr: { filled: true } }",
      "warns",
      /operations\.listWorkOrders\.where\.numbr \(\S+\): numbr: no record has numbr here; did you mean number\?/,
    ],
    [
      "a condition as an expression",
      "where: { number: { filled: true } }",
      "where: = $exists(numbr)",
      "warns",
      /operations\.listWorkOrders\.where \(\S+\): no record has numbr here; did you mean number\?/,
    ],

    [
      "a scan without its code",
      "/orders/{code}",
      "/orders/1",
      "warns",
      /operations\.findWorkOrderByCode: the request does not use \{Code\}, so every scan fetches the whole list/,
    ],
    [
      "a put-wall scan without its code",
      "/wall/{code}",
      "/wall/1",
      "fails",
      /operations\.findPutWallOrders: the request does not use \{code\}/,
    ],
    [
      "an item without its number",
      "/items/{number}",
      "/items/A",
      "fails",
      /operations\.getItem: the request does not use \{number\}/,
    ],

    [
      "an event without its order",
      "          order: workOrderNumber\n          line",
      "          line",
      "warns",
      /! connectors\.erp\.operations\.confirmStep: nothing in it says which order it is about/,
    ],
    [
      "an event without its amount",
      "          qty: line.confirmedAmount\n",
      "",
      "warns",
      /! connectors\.erp\.operations\.confirmStep: nothing in it says an amount/,
    ],
    [
      "a placement without its amount",
      ', qty: "{completedAmount}" }',
      " }",
      "warns",
      /operations\.confirmPutWallPlacement: nothing in it says an amount/,
    ],
    [
      "a constant for a field",
      "map: { order: workOrderNumber, tote: containerCode }",
      "map: { order: { value: workOrderNumber }, tote: containerCode }",
      "warns",
      /operations\.attachWorkOrder: the constant "workOrderNumber" is the name of a field/,
    ],
    [
      "a field without braces",
      'item: "{itemNumber}"',
      "item: itemNumber",
      "warns",
      /operations\.confirmPutWallPlacement: the constant "itemNumber" is the name of a field/,
    ],
  ];

  test.each(typos)("%s", async (...typo) => {
    const { code, out } = await check(temporaryFolder(), applied(config(await erp()), typo));
    expect(out).toMatch(typo[4]);
    expect(code === 0).toBe(typo[3] === "warns");
  });

  test("a name in quotes is right, though no record has it", async () => {
    const text = config(await erp()).replace(
      "requestExternalIdentifier: line, reason",
      `requestExternalIdentifier: '["lineNo"]', reason`,
    );
    expect(await check(temporaryFolder(), text)).toEqual({ code: 0, out: "" });
  });
});

describe("of the sql connector", () => {
  const config = `
connectors:
  erp:
    type: sql
    driver: sqlite
    file: erp.db
    createDeliveredTable: true
    operations:
      findWorkOrderByCode:
        params: { needle: = $uppercase(Code) }
        orders: SELECT no, due FROM orders WHERE no = :needle
        lines: SELECT no, item, qty, pos FROM lines WHERE no = :needle
        key: no
        map: { number: no, dueDate: due, requests: { each: lines, map: { itemNumber: item, requestedAmount: qty, requestExternalIdentifier: pos } } }
      getItem: { sql: "SELECT no, name FROM items WHERE no = :number", map: { number: no, name: name } }
      confirmStep:
        statements:
          - sql: INSERT INTO picks VALUES (:workOrderNumber, :line.confirmedAmount)
    poll:
      - topic: workOrders
        sql: SELECT no, due, item, qty, pos, changed FROM orders NATURAL JOIN lines WHERE changed > :since
        since: { column: changed }
        fold: { by: no }
        map: { number: no, dueDate: due, requests: { each: lines, map: { itemNumber: item, requestedAmount: qty, requestExternalIdentifier: pos } } }
serve: { codeLookup: erp, items: erp }
events: { by: { confirmStep: erp } }
`;
  const folderWithErp = () => {
    const folder = temporaryFolder();
    const database = new DatabaseSync(join(folder, "erp.db"));
    database.exec(`
      CREATE TABLE orders (no, due, changed); CREATE TABLE lines (no, item, qty, pos); CREATE TABLE picks (no, qty);
      CREATE TABLE items (no, name);
      INSERT INTO orders VALUES ('W-1', '2030-01-31', '2026-01-01 00:00:00'); INSERT INTO lines VALUES ('W-1', 'A', 2, NULL);
      INSERT INTO items VALUES ('A', 'Bolt')`);
    database.close();
    return folder;
  };

  test("without a mistake, nothing is named", async () => {
    expect(await check(folderWithErp(), config)).toEqual({ code: 0, out: "" });
  });

  const typos: readonly Typo[] = [
    ["a column", "= :number", "= :nummer", "fails", /nummer/],
    ["a column of the poll", "column: changed", "column: chnaged", "fails", /chnaged/],
    [
      "the line of an order",
      "each: lines, map: { itemNumber: item, requestedAmount: qty, requestExternalIdentifier: pos } } }\n      getItem",
      "each: lines, map: { itemNumber: item, requestedAmount: qty, requestExternalIdentifier: psn } } }\n      getItem",
      "warns",
      /operations\.findWorkOrderByCode\.map\.requests\.map\.requestExternalIdentifier \(\S+\): psn: no record has psn here; did you mean pos\?/,
    ],
    [
      "the name of an item",
      "name: name }",
      "name: nmae }",
      "warns",
      /operations\.getItem\.map\.name \(\S+\): nmae: no record has nmae here; did you mean name\?/,
    ],
    [
      "a scan without its code",
      "params: { needle: = $uppercase(Code) }",
      "params: { needle: { value: W-1 } }",
      "fails",
      /operations\.findWorkOrderByCode: the request does not use :Code/,
    ],
    [
      "an item without its number",
      "WHERE no = :number",
      "LIMIT 1",
      "fails",
      /operations\.getItem: the request does not use :number/,
    ],
    [
      "an event without its amount",
      ":line.confirmedAmount",
      "1",
      "warns",
      /operations\.confirmStep: nothing in it says an amount/,
    ],
    [
      "an event without its order",
      ":workOrderNumber, :line",
      ":itemNumber, :line",
      "warns",
      /operations\.confirmStep: nothing in it says which order/,
    ],
  ];

  test.each(typos)("%s", async (...typo) => {
    const { code, out } = await check(folderWithErp(), applied(config, typo));
    expect(out).toMatch(typo[4]);
    expect(code === 0).toBe(typo[3] === "warns");
  });
});

describe("of the files connector", () => {
  const config = `
connectors:
  drop:
    type: files
    location: .
    in:
      - topic: cancellations
        folder: in
        map: { workOrderNumber: Order, requestExternalIdentifier: Line, reason: Why }
    out:
      confirmStep: { folder: out, name: "{entryId}.json", map: { order: data.workOrderNumber, qty: line.confirmedAmount } }
events: { by: { confirmStep: drop } }
`;
  const folderWithFile = async () => {
    const folder = temporaryFolder();
    await mkdir(join(folder, "in"));
    await mkdir(join(folder, "out"));
    writeFileSync(join(folder, "in", "a.json"), JSON.stringify([{ Order: "1", Line: "10", Why: null }]));
    return folder;
  };

  test("without a mistake, nothing is named", async () => {
    expect(await check(await folderWithFile(), config)).toEqual({ code: 0, out: "" });
  });

  const typos: readonly Typo[] = [
    [
      "the line of a cancellation",
      "requestExternalIdentifier: Line",
      "requestExternalIdentifier: Lien",
      "fails",
      /✗ drop \(files\): in\[0\]\.map\.requestExternalIdentifier \(\S+\): Lien: no record has Lien here; did you mean Line\?/,
    ],
    [
      "the reason of a cancellation",
      "reason: Why",
      "reason: Wyh",
      "warns",
      /in\[0\]\.map\.reason \(\S+\): Wyh: no record has Wyh here; did you mean Why\?/,
    ],
    ["a field of an event", "data.workOrderNumber", "data.workOrderNumer", "fails", /did you mean workOrderNumber/],
    [
      "an event without its amount",
      ", qty: line.confirmedAmount",
      "",
      "warns",
      /out\.confirmStep: nothing in it says an amount/,
    ],
    [
      "an event without its order",
      "order: data.workOrderNumber, ",
      "",
      "warns",
      /out\.confirmStep: nothing in it says which order/,
    ],
  ];

  test.each(typos)("%s", async (...typo) => {
    const { code, out } = await check(await folderWithFile(), applied(config, typo));
    expect(out).toMatch(typo[4]);
    expect(code === 0).toBe(typo[3] === "warns");
  });
});
