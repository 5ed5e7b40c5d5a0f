import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { silentLog } from "../../kit/log.ts";
import { manualClock } from "../../kit/time/clock.ts";
import { manualTimers } from "../../kit/time/timers.ts";
import { holdTexts } from "../intake/order-texts.ts";
import { openFallbackFile } from "./open-fallback-file.ts";

const megabyte = 2 ** 20;

const longOrder = (number: string, lines: number, deliveryNumber: string | null = null) => ({
  ...{ number, deliveryNumber, dueDate: "2030-01-31T00:00:00Z" },
  requests: Array.from({ length: lines }, (_, line) => ({
    ...{ itemNumber: `Größe ${number}-${line}`, requestedAmount: 2, itemName: "x".repeat(160) },
    ...{ requestType: 1, unitOfMeasure: 0, order: line },
  })),
});

/** The last list of an external system, in a file of its own; what is logged is kept. */
function erpList() {
  const timers = manualTimers(manualClock());
  const warnings: unknown[] = [];
  const log = { ...silentLog, warn: (...said: unknown[]) => void warnings.push(said) };
  const file = openFallbackFile({ dataFolder: temporaryFolder(), timers, log });
  onTestFinished(() => file.close());
  const erp = file.of("erp");
  const remember = async (list: readonly object[], at: number) => {
    const texts = holdTexts();
    // Only what is kept of an order.
    erp.rememberList(
      list.map((order) => texts.hold(order as never)),
      at,
    );
    const settled = file.settled();
    await timers.settle();
    await settled;
  };
  const pieces = () => [...erp.listed(() => true)];
  const read = () => JSON.parse(`[${pieces().map(String).join(",")}]`);
  return { erp, remember, pieces, read, warnings };
}

test("a list of long orders is read a few at a time, the longest alone", async () => {
  const { remember, pieces, read } = erpList();
  const list = [...[1_000, 9, 9, 12_000, 9].entries(), ...Array(60).fill(9).entries()].map(([index, lines], place) =>
    longOrder(`${place}-${index}`, lines),
  );
  await remember(list, 1);
  expect(read()).toEqual(list);
  const lengths = pieces().map(({ length }) => length);
  expect(lengths.filter((length) => length > megabyte / 2)).toHaveLength(1);
  expect(lengths.length).toBeGreaterThan(3);
});

test("orders of one code are all found, however long, and one by its exact number", async () => {
  const { erp, remember } = erpList();
  const list = ["A", "B", "a"].map((number) => longOrder(number, 2_000, "TOTE"));
  await remember(list, 1);
  const found: unknown[] = [];
  for await (const { workOrder, bytes } of erp.listedBy("deliveryNumber", " tote ")) {
    expect(JSON.parse(bytes.toString())).toEqual(workOrder);
    found.push(workOrder);
  }
  expect(found).toEqual(list);
  expect(await erp.listedOrder("a")).toEqual(list[2]);
  expect(await erp.listedOrder("b")).toBeNull();
});

test("of a list with an order that cannot be read in one turn nothing is kept, and the log says why", async () => {
  const { erp, remember, read, warnings } = erpList();
  await remember([longOrder("1", 2_000), longOrder("2", 9)], 1);
  expect(erp.listAt()).toBe(1);
  await remember([longOrder("1", 2_000), longOrder("2", 20_000)], 2);
  expect(erp.listAt()).toBeNull();
  expect(read()).toEqual([]);
  expect(JSON.stringify(warnings)).toMatch(/"bytesOfLongest":\d{7},.*too long to be stored as fallback data/);
  await remember([longOrder("2", 9)], 3);
  expect(erp.listAt()).toBe(3);
  expect(read()).toEqual([longOrder("2", 9)]);
});
