import { expect, test } from "vitest";
import { pieceText } from "../../../test/support/floor/piece-text.ts";
import { operationRow } from "../../contract/operations.ts";
import { localise } from "../../messages/localise.ts";
import { type AnyOutcome, ListInParts, ok, ReadyJson, ReadyJsonList } from "../../operation/outcome.ts";
import { checkServed, checkServedInTurns, gatherParts } from "./check-served.ts";

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

/** The text that is served. */
const textOf = (outcome: AnyOutcome): string => {
  const data = outcome.ok ? outcome.data : [];
  return data instanceof ReadyJsonList ? `[${[...data.pieces].map(pieceText).join(",")}]` : JSON.stringify(data);
};
const numbersIn = (outcome: AnyOutcome): string[] =>
  (JSON.parse(textOf(outcome)) as { number: string }[]).map(({ number }) => number);

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

const longOrder = (number: string, lines: number, requestedAmount = 2) => ({
  ...order(number, 1),
  requests: Array.from({ length: lines }, (_, line) => ({ itemNumber: `A-${line}`, requestedAmount })),
});

/** Checks a list, and counts the lines that are checked in one turn at most. */
async function checkedInTurns(list: readonly ReturnType<typeof longOrder>[]) {
  let lines = 0;
  let mostLines = 0;
  const counted = list.map((given) => ({
    ...given,
    requests: given.requests.map((line) => ({
      ...line,
      get itemNumber() {
        mostLines = Math.max(mostLines, ++lines);
        return line.itemNumber;
      },
    })),
  }));
  const turn = async () => {
    lines = 0;
  };
  const outcome = await checkServedInTurns(operationRow("listWorkOrders"), ok(counted), { ...settings, turn });
  return { outcome, mostLines };
}

test("orders of hundreds of lines are checked one by one, and other requests run in between", async () => {
  const list = Array.from({ length: 20 }, (_, index) => longOrder(`N-${index}`, 400));
  const { outcome, mostLines } = await checkedInTurns(list);
  expect(numbersIn(outcome)).toEqual(list.map(({ number }) => number));
  const alone = await checkedInTurns(list.slice(0, 1));
  expect(mostLines).toBe(alone.mostLines);
});

test("an order of thousands of lines is served, withheld and doubted like any other", async () => {
  const [long, twice] = [longOrder("L", 3_000), longOrder("T", 3_000)];
  const bad = { ...longOrder("B", 3_000), dueDate: "soon" };
  const list = [order("1", 2), long, long, bad, twice, longOrder("T", 3_000, 3), order("2", 1)];
  const outcome = await checkServedInTurns(operationRow("listWorkOrders"), ok(list), {
    ...settings,
    turn: async () => {},
  });
  expect(numbersIn(outcome)).toEqual(["1", "L", "2"]);
  const { message } = outcome;
  expect(message === undefined ? "" : localise(message, "en")).toMatch(/^2 .*\bB, T\b/);
  const data = checkServed(operationRow("listWorkOrders"), ok([order("1", 2), long, order("2", 1)]), settings);
  expect(textOf(outcome)).toBe(JSON.stringify(data.ok && data.data));
});

test("a ready order passes as it is, in however many pieces", async () => {
  const ready = ok(new ReadyJson(["{", ...Array(1_000).fill(" "), "}"]));
  const turn = async () => {};
  expect(await checkServedInTurns(operationRow("findWorkOrderByCode"), ready, { ...settings, turn })).toBe(ready);
});

test("an order that comes twice with the same content is served once", async () => {
  const outcome = checkServed(operationRow("listWorkOrders"), ok([order("1", 2), order("1", 2)]), settings);
  expect(numbersIn(outcome)).toEqual(["1"]);
  expect(outcome.message).toBeUndefined();
});
