import { expect, test } from "vitest";
import { compileMapping } from "./compile-mapping.ts";
import { sourcePlaces, sourceRecordOf, withSource } from "./source-record.ts";

const dates = { timeZone: "UTC", timeOfDay: "00:00" };
const map = {
  number: { join: ["Head.Prefix", "Head.No"], with: "-" },
  dueDate: { from: ["Due", "Head.Due"] },
  description: '= Head.Customer & " " & $uppercase(Note)',
  requests: {
    each: "Lines",
    map: { itemNumber: "Item", requestedAmount: "Qty", itemName: "= Name ?: ShortName", lotNumber: "^.Lot" },
  },
};
const record = {
  Head: { Prefix: "SO", No: "1", Due: "2030-01-31", Customer: "Acme" },
  Note: "Customer",
  Lot: "L1",
  Lines: [
    { Item: "A", Qty: 1, Name: "One" },
    { Item: "B", Qty: "many", Name: "Two" },
  ],
};
const { sourceOf, apply } = compileMapping(map, { dates });
const mapped = async () => (await apply(record)).value;
const places = async (field: string) => sourcePlaces(field, await mapped(), { record, sourceOf });

test("a member of a line comes from the same line of the source", async () => {
  expect(await places("requests[1].requestedAmount")).toEqual(["Lines[1].Qty"]);
  expect(await places("requests[1].lotNumber")).toEqual(["Lot"]);
  expect(await places("requests")).toEqual(["Lines"]);
});

test("of several fields each has its place, and one that the record does not have has none", async () => {
  expect(await places("number")).toEqual(["Head.Prefix", "Head.No"]);
  expect(await places("dueDate")).toEqual(["Head.Due"]);
});

test("the names in an expression are places where the record has them; its texts are not", async () => {
  expect(await places("description")).toEqual(["Head.Customer", "Note"]);
  expect(await places("requests[0].itemName")).toEqual(["Lines[0].Name"]);
});

test("the list is the place of a member if lines were left out, because nobody knows which line it was", async () => {
  const some = compileMapping(
    { ...map, requests: { ...map.requests, where: { Item: "B" } } },
    { dates, isPartial: true },
  );
  const made = (await some.apply(record)).value;
  expect(sourcePlaces("requests[0].requestedAmount", made, { record, sourceOf: some.sourceOf })).toEqual(["Lines"]);
});

test("a mapped record leads to its source; one that needed no mapping to none", async () => {
  const made = await mapped();
  expect(withSource(made, { record, sourceOf })).toBe(made);
  expect(sourceRecordOf(made)?.record).toBe(record);
  expect(sourceRecordOf(withSource(record, { record, sourceOf }))).toBeUndefined();
  expect(JSON.stringify(made)).not.toContain("Head");
});
