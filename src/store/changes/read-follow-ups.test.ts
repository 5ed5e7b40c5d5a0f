import { expect, test } from "vitest";
import { embeddedStore, workOrder } from "../../../test/support/floor/embedded-store.ts";
import { longTextsIn } from "../../../test/support/floor/long-texts.ts";
import { readSizes } from "../../../test/support/floor/read-sizes.ts";
import { ReadyJsonSlices } from "../../operation/outcome.ts";
import { openOrderStore } from "../order-store.ts";
import { followUpOrders } from "./read-follow-ups.ts";

function warehouse() {
  const { writer, reader } = embeddedStore();
  const orders = openOrderStore(writer);
  const read = readSizes(reader);
  const followUps = followUpOrders(read.database, longTextsIn(reader));
  const followUp = (number: string, length = 10) => {
    const order = workOrder({ number, description: "x".repeat(length) });
    orders.insert(order, 1);
    writer.statement("INSERT INTO follow_up (order_number, number) VALUES ('N', ?)").run(number);
    return order;
  };
  const texts = async () => {
    const found: string[] = [];
    for (const text of followUps.waiting()?.texts() ?? [])
      found.push(text instanceof ReadyJsonSlices ? (await text.bytes()).toString() : text);
    return found;
  };
  const objects = async () => {
    const found: unknown[] = [];
    for await (const order of followUps.waiting()?.orders() ?? []) found.push(order);
    return found;
  };
  return { orders, followUp, followUps, texts, objects, largest: read.largest };
}

test("without a waiting follow-up order there is nothing to add", () => {
  const { orders, followUp, followUps } = warehouse();
  orders.insert(workOrder({ number: "N" }), 1);
  expect(followUps.waiting()).toBeNull();
  followUp("N-2");
  orders.recordWork("N-2");
  expect(followUps.waiting()).toBeNull();
});

test("however long the follow-up orders are, no query reads more than a megabyte in this thread", async () => {
  const { followUp, texts, objects, largest } = warehouse();
  const given = [10, 2_000_000, ...Array<number>(20).fill(100_000)].map((length, index) =>
    followUp(`N-${index}`, length),
  );
  expect((await texts()).join(",") === JSON.stringify(given).slice(1, -1)).toBe(true);
  expect(await objects()).toEqual(given);
  expect(largest()).toBeLessThan(2 ** 20);
});

test("a follow-up order that was begun before its turn came is left out", () => {
  const { orders, followUp, followUps } = warehouse();
  for (const number of ["1", "2", "3"]) followUp(number);
  const texts = followUps.waiting()?.texts() ?? [];
  orders.recordWork("2");
  expect([...texts].map((text) => JSON.parse(String(text)).number)).toEqual(["1", "3"]);
});
