import { expect, test } from "vitest";
import { embeddedStore, workOrder } from "../../../test/support/floor/embedded-store.ts";
import { line } from "../../../test/support/floor/floor.ts";
import { openOrderStore } from "../order-store.ts";
import { wantedByPush } from "./wanted.ts";
import { openWantedTable, readWanted } from "./wanted-table.ts";

test("a short-picked amount is stored under the name that released versions read, and read from it", () => {
  const { writer: database } = embeddedStore();
  const wanted = wantedByPush(workOrder({ number: "N", requests: [line("A", 10), line("B", 5)] }));
  const [first, ...others] = wanted.lines;
  const changed = { ...wanted, lines: [...(first === undefined ? [] : [{ ...first, shortPicked: 3 }]), ...others] };
  openWantedTable(database, openOrderStore(database)).save("N", changed);

  const [row] = database.statement("SELECT lines FROM wanted_lines").all();
  expect(JSON.parse(String(row?.["lines"]))).toMatchObject([{ itemNumber: "A", cut: 3 }, { itemNumber: "B" }]);
  expect(String(row?.["lines"])).not.toContain("shortPicked");
  expect(readWanted(database)("N")?.wanted).toEqual(changed);
});
