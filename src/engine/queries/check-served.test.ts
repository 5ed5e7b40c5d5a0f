import { expect, test } from "vitest";
import { operationRow } from "../../contract/operations.ts";
import { localise } from "../../messages/localise.ts";
import { type AnyOutcome, ListInParts, ok, ReadyJsonList } from "../../operation/outcome.ts";
import { checkServed, gatherParts } from "./check-served.ts";

const order = (number: string, requestedAmount: number) => ({
  number,
  dueDate: "2030-01-31",
  requests: [{ itemNumber: "A", requestedAmount }],
});
const settings = { dates: { timeZone: "UTC", timeOfDay: "00:00" }, invalidOrders: "quarantine" as const };
const pages = [[order("1", 2), order("2", 1)], [order("1", 3), order("3", 1)], [order("1", 2)]];

async function* inParts() {
  yield* pages;
}

const numbersIn = (outcome: AnyOutcome): string[] => {
  const data = outcome.ok ? outcome.data : [];
  const list: unknown[] =
    data instanceof ReadyJsonList
      ? JSON.parse(`[${[...data.pieces].map((piece) => Buffer.from(piece as string)).join(",")}]`)
      : (data as unknown[]);
  return list.map((one) => String(Object(one).number));
};

test("an order that comes twice with other amounts is withheld, and not served as well", async () => {
  const row = operationRow("listWorkOrders");
  const asked = checkServed(row, ok(pages.flat()), settings);
  const gathered = await gatherParts(ok(new ListInParts(inParts())), { ...settings, turn: async () => {} });
  for (const outcome of [asked, gathered]) {
    expect(numbersIn(outcome)).toEqual(["2", "3"]);
    const { message } = outcome;
    expect(message === undefined ? "" : localise(message, "en")).toMatch(/^1 .*\b1\b/);
  }
});

test("an order that comes twice with the same content is served once", async () => {
  const outcome = checkServed(operationRow("listWorkOrders"), ok([order("1", 2), order("1", 2)]), settings);
  expect(numbersIn(outcome)).toEqual(["1"]);
  expect(outcome.message).toBeUndefined();
});
