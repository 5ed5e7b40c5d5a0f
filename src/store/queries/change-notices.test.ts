import { expect, onTestFinished, test } from "vitest";
import { embeddedStore, workOrder } from "../../../test/support/floor/embedded-store.ts";
import { systemTimers } from "../../kit/time/timers.ts";
import { openOrderStore } from "../order-store.ts";
import { openChangeNotices } from "./change-notices.ts";

test("only so many scans of very long orders wait at a time; the others are refused, and nobody else is", async () => {
  const { writer, reader, file: databaseFile } = embeddedStore();
  const orders = openOrderStore(writer);
  orders.insert(workOrder({ number: "LONG", description: "x".repeat(40_000) }), 1);
  orders.insert(workOrder({ number: "SHORT" }), 1);
  const notices = openChangeNotices({ database: reader, databaseFile, timers: systemTimers });
  onTestFinished(notices.close);
  const many = Array.from({ length: 60 }, () => notices.of("LONG"));
  expect(notices.of("SHORT")).toBeUndefined();
  const settled = await Promise.allSettled(many);
  expect(settled.filter(({ status }) => status === "rejected")).toHaveLength(10);
  expect(await notices.of("LONG")).toBeUndefined();
});
