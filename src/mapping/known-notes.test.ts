import { expect, test } from "vitest";
import { pushRow } from "../contract/pushes.ts";
import { recogniseNote } from "../messages/phrases/recognise.ts";
import { compileMapping } from "./compile-mapping.ts";

const dates = { timeZone: "UTC", timeOfDay: "00:00" };
const record = {
  text: "many",
  half: 1.5,
  list: [1],
  object: { a: 1 },
  unit: "BOX",
  date: "soon",
  old: new Date(Number.NaN),
};
const factors = { PC: 1, KG: 1000 };

/** Rules that cannot use their values, each for another reason. */
const rules: readonly [member: string, rule: unknown][] = [
  ...["half", "text", "list"].map((from) => ["requestedAmount", from] as [string, unknown]),
  ["requestedAmount", { from: "text", number: { decimal: "," } }],
  ["requestedAmount", { from: "text", round: "down" }],
  ["requestedAmount", { from: "half", unit: { from: "unit", factors } }],
  ["requestedAmount", { from: "half", unit: { from: "nothing", factors } }],
  ["requestedAmount", { from: "text", unit: { factor: 2 } }],
  ...["list", "object"].map((from) => ["itemNumber", from] as [string, unknown]),
  ["itemNumber", { from: "text", lookup: { A: "1" } }],
  ["itemNumber", { from: "nothing", required: true }],
  ["itemNumber", "= $error('no')"],
  ["unitOfMeasure", "text"],
  ["itemName", { from: "text", boolean: { true: ["yes"], false: ["no"] } }],
  ["itemDescription", { from: "date", date: true }],
  ["itemDescription", { from: "date", date: "dd.MM.yyyy" }],
  ["itemDescription", { from: "date", date: "epoch-seconds" }],
  ["itemDescription", { from: "old", date: true }],
];

test("whatever a mapping says about a value is known in every language", async () => {
  const target = pushRow("workOrders").element;
  const unknown: string[] = [];
  for (const [member, rule] of rules) {
    const map = { requests: { each: "$", map: { [member]: rule } } };
    const { problems } = await compileMapping(map, { dates, target, isPartial: true }).apply(record);
    expect({ rule, count: problems.length }).toEqual({ rule, count: 1 });
    for (const { text } of problems) {
      const found = recogniseNote(text);
      const hint = found?.values["hint"];
      if (found === null || typeof hint === "string") unknown.push(text);
    }
  }
  expect(unknown).toEqual([]);
});
