import { expect, test } from "vitest";
import { embeddedStore, workOrder } from "../../../test/support/floor/embedded-store.ts";
import { longTextsIn } from "../../../test/support/floor/long-texts.ts";
import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import { openLedgerTable } from "../ledger/ledger-table.ts";
import { openOrderStore } from "../order-store.ts";
import { eventSubjects } from "./find-event-subject.ts";

const line = (nth: number): WorkOrder["requests"][number] => ({
  ...{ itemNumber: `ITEM-${nth}`, requestedAmount: 2, requestType: 1, order: nth },
  ...{ requestExternalIdentifier: `L-${nth}`, requestExternalData: JSON.stringify({ nth }) },
});
const order = (number: string, lines: number) =>
  workOrder({ number, externalData: '{"of":"erp"}', requests: Array.from({ length: lines }, (_, nth) => line(nth)) });

/** A store with these orders, each line of which is known to the ledger by a platform id. */
function storeOf(...stored: readonly ReturnType<typeof order>[]) {
  const { writer, reader } = embeddedStore();
  const orders = openOrderStore(writer);
  const ledger = openLedgerTable(writer);
  for (const one of stored) {
    orders.insert(one, 1);
    ledger.add(
      one.requests.map(({ itemNumber, requestExternalIdentifier }, nth) => ({
        ...{
          orderNumber: one.number,
          requestId: 1_000 + nth,
          externalId: requestExternalIdentifier ?? null,
          itemNumber,
        },
        ...{ lot: null, unit: 0, intake: 0, designatedLocation: null, factor: 1, requested: 2 },
      })),
    );
  }
  return { orders, reader, writer };
}

test.each([3, 5_000])("the line of an event is found by each of its names in an order of %i lines", async (lines) => {
  const { reader, orders } = storeOf(order("N", lines));
  const find = eventSubjects(reader, longTextsIn(reader));
  const last = lines - 1;
  const names = [
    { requestId: 1_000 + last },
    { requestExternalIdentifier: `L-${last}` },
    { itemNumber: `ITEM-${last}` },
    { request: { requestId: 1_000 + last } },
  ];
  for (const state of ["started", "finished"] as const) {
    orders.setState("N", state);
    for (const name of names) {
      const subject = await find({ workOrderNumber: "N", ...name });
      expect(subject.order).toMatchObject({ number: "N", data: { of: "erp" } });
      expect(subject.order?.requests).toHaveLength(lines);
      expect(subject.line).toMatchObject({
        requestExternalIdentifier: `L-${last}`,
        data: { nth: last },
        pickedAmount: 0,
      });
    }
  }
});

test("an item that several lines have names none of them", async () => {
  const twice = order("N", 2);
  const { reader } = storeOf({ ...twice, requests: twice.requests.map((one) => ({ ...one, itemNumber: "SAME" })) });
  const find = eventSubjects(reader, longTextsIn(reader));
  expect((await find({ workOrderNumber: "N", itemNumber: "SAME" })).line).toBeNull();
  expect((await find({ workOrderNumber: "N", itemNumber: "SAME", requestId: 1_001 })).line).toMatchObject({
    requestExternalIdentifier: "L-1",
  });
});

test("an order of another system is asked for where it is kept", async () => {
  const { reader } = storeOf();
  const find = eventSubjects(reader, longTextsIn(reader), async (number) => (number === "E" ? order("E", 2) : null));
  expect(await find({ workOrderNumber: "E", itemNumber: "ITEM-1" })).toMatchObject({
    ...{ order: { number: "E" }, line: { requestExternalIdentifier: "L-1" } },
  });
  expect(await find({ workOrderNumber: "F", itemNumber: "ITEM-1" })).toEqual({ order: null, line: null });
});

test("other requests run while the elements of an event are looked up", async () => {
  const { reader } = storeOf(order("N", 400));
  const find = eventSubjects(reader, longTextsIn(reader));
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  for (let element = 0; element < 20; element++) await find({ workOrderNumber: "N", itemNumber: `ITEM-${element}` });
  isOver = true;
  expect(turns).toBeGreaterThanOrEqual(10);
});

test("the amounts of a long order fit together, although a push replaces it while it is read", async () => {
  const boxes = order("N", 5_000);
  const pieces = { ...boxes, requests: boxes.requests.map((one) => ({ ...one, requestedAmount: 24 })) };
  const { reader, orders, writer } = storeOf(boxes);
  const setLedger = (unit: number, factor: number) =>
    writer.exec(`UPDATE quantity SET unit = ${unit}, factor = ${factor}`);
  setLedger(1, 12);
  const texts = longTextsIn(reader);
  let isPushed = false;
  const open: typeof texts.open = async (text) => {
    if (!isPushed) {
      isPushed = true;
      orders.replace("N", pieces);
      setLedger(0, 1);
    }
    return await texts.open(text);
  };
  const { line } = await eventSubjects(reader, { open })({ workOrderNumber: "N", requestId: 1_007 });
  expect(line).toMatchObject({ requestedAmount: 24, requestedAmountInBaseUnitOfMeasure: 24 });
});
