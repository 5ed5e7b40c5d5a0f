import { expect, test } from "vitest";
import { embeddedStore } from "../../../test/support/floor/embedded-store.ts";
import { pushIndexableValue } from "./push-work-order.ts";

test("the value of an order is kept, replaced and taken away, whether the order is known or not", () => {
  const { writer, reader } = embeddedStore();
  const push = pushIndexableValue(writer);
  const values = () => reader.statement("SELECT number, value FROM indexable_value ORDER BY number").all();
  push({ workOrderNumber: "N", value: "T-1" });
  push({ workOrderNumber: "M", value: "T-1" });
  push({ workOrderNumber: "N", value: "T-2" });
  expect(values()).toEqual([
    { number: "M", value: "T-1" },
    { number: "N", value: "T-2" },
  ]);
  push({ workOrderNumber: "M", value: null });
  push({ workOrderNumber: "N", value: "" });
  expect(values()).toEqual([]);
});
