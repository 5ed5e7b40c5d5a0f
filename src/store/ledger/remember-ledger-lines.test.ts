import fc from "fast-check";
import { expect, test } from "vitest";
import { embeddedStore } from "../../../test/support/floor/embedded-store.ts";
import type { LedgerLine } from "./ledger-line.ts";
import { type LedgerTable, openLedgerTable } from "./ledger-table.ts";
import { rememberLedgerLines } from "./remember-ledger-lines.ts";

const newLine = (orderNumber: string, item: number) => ({
  ...{
    orderNumber,
    requestId: null,
    externalId: item % 2 === 0 ? `L${item}` : null,
    itemNumber: `I${item}`,
    lot: null,
  },
  ...{ unit: 0, intake: 3, designatedLocation: null, factor: null, requested: 3 },
});

interface Command {
  readonly kind: "add" | "many" | "bind" | "book" | "long" | "done" | "remove" | "undone";
  readonly order: "A" | "B";
  readonly line: number;
  readonly amount: number;
}

const commands = fc.array(
  fc.record<Command>({
    kind: fc.constantFrom("add", "many", "bind", "book", "long", "done", "remove", "undone"),
    order: fc.constantFrom("A", "B"),
    line: fc.nat(4),
    amount: fc.nat(5),
  }),
  { maxLength: 30 },
);

function play(table: LedgerTable, { kind, order, line, amount }: Command): void {
  if (kind === "add") table.add([newLine(order, line)]);
  if (kind === "many") table.add(Array.from({ length: 30 }, (_, item) => newLine(order, item)));
  if (kind === "remove") table.remove(order);
  const ledgerLine = table.byOrder(order)[line];
  if (ledgerLine === undefined) return;
  const booked: LedgerLine = {
    ...ledgerLine,
    picked: amount,
    steps: ledgerLine.steps + 1,
    places: `[["R1",${amount}]]`,
  };
  // book stores only the amounts.
  if (kind === "book") table.book({ ...booked, requestId: 99, lot: "not stored" });
  if (kind === "bind") table.bind({ ...booked, requestId: 10 * ledgerLine.position + amount, factor: 1 });
  if (kind === "long") table.book({ ...booked, lastSteps: "x".repeat(1_000) });
  if (kind === "done") table.book({ ...ledgerLine, cancelled: ledgerLine.requested - ledgerLine.picked });
}

/** The results of all queries about an order. */
const answersOf = (table: LedgerTable, order: string) => ({
  meant: [0, 1, 11, 23].map((requestId) => table.meant(order, { requestId, externalId: "L2", itemNumber: "I1" })),
  unnamed: table.meant(order, { requestId: 11, externalId: null, itemNumber: null }),
  byItem: table.byItem(order, "I1"),
  isOpened: table.isOpened(order),
  isSettled: table.isSettled(order),
  steps: table.stepCount(order),
  byOrder: table.byOrder(order),
});

test("what is remembered of an order is what is stored of it, whatever was written or rolled back", () => {
  fc.assert(
    fc.property(commands, (all) => {
      const { writer } = embeddedStore();
      const table = openLedgerTable(writer);
      const remembered = rememberLedgerLines(table);
      for (const command of all) {
        writer.exec("BEGIN");
        play(remembered, command.kind === "undone" ? { ...command, kind: "book" } : command);
        if (command.kind === "undone") {
          writer.exec("ROLLBACK");
          remembered.forget();
        } else writer.exec("COMMIT");
        for (const order of ["A", "B"]) expect(answersOf(remembered, order)).toEqual(answersOf(table, order));
      }
    }),
    { numRuns: 50, seed: 1 },
  );
});

test("a list of ledger lines stays as it was, and is the same list until a line changes", () => {
  const remembered = rememberLedgerLines(openLedgerTable(embeddedStore().writer));
  remembered.add([newLine("A", 1), newLine("A", 2)]);
  const before = remembered.byOrder("A");
  expect(remembered.byOrder("A")).toBe(before);
  const [first] = before;
  if (first === undefined) throw new Error("there are two");
  remembered.book({ ...first, picked: 1 });
  remembered.add([newLine("A", 3)]);
  expect(before.map(({ picked }) => picked)).toEqual([0, 0]);
  expect(remembered.byOrder("A").map(({ picked }) => picked)).toEqual([1, 0, 0]);
});

test("the lines of a very long order are remembered, up to a bound for all orders together", () => {
  const { writer } = embeddedStore();
  writer.exec("BEGIN");
  const table = openLedgerTable(writer);
  let reads = 0;
  const counted: LedgerTable = {
    ...table,
    byOrder: (orderNumber) => {
      reads += 1;
      return table.byOrder(orderNumber);
    },
  };
  const remembered = rememberLedgerLines(counted);
  const long = (order: string) =>
    remembered.add(
      Array.from({ length: 10_000 }, (_, item) => newLine(order, item)),
      true,
    );
  long("A");
  for (let nth = 0; nth < 5; nth++) expect(remembered.byOrder("A")).toHaveLength(10_000);
  expect(reads).toBe(0);
  for (const order of ["B", "C", "D", "E", "F", "G", "H"]) long(order);
  expect(remembered.byOrder("A")).toHaveLength(10_000);
  expect(reads).toBe(1);
  writer.exec("COMMIT");
});
