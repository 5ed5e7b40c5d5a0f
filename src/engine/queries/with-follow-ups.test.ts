import { expect, test } from "vitest";
import { type AnyOutcome, ListInParts, ok, ReadyJson, ReadyJsonList } from "../../operation/outcome.ts";
import type { FollowUpOrders } from "../../store/changes/read-follow-ups.ts";
import { withFollowUps } from "./with-follow-ups.ts";

const orders = [{ number: "F1" }, { number: "F2" }];
const followUps: FollowUpOrders = {
  waiting: () => ({
    texts: () => orders.map((order) => JSON.stringify(order)),
    orders: async function* () {
      yield* orders;
    },
  }),
  isOne: (code) => code === "F1",
};
const context = { language: "en", signal: new AbortController().signal } as const;

async function listed(data: unknown): Promise<unknown> {
  // The data is what a connector may give, in any of its forms.
  const served = { listWorkOrders: () => ok(data) as never };
  const outcome: AnyOutcome | undefined = await withFollowUps(served, {}, followUps).listWorkOrders?.({}, context);
  if (outcome?.ok !== true) throw new Error("a list was expected");
  if (outcome.data instanceof ReadyJsonList) return JSON.parse(`[${[...outcome.data.pieces].join(",")}]`);
  if (!(outcome.data instanceof ListInParts)) return outcome.data;
  const found: unknown[] = [];
  for await (const part of outcome.data.parts) found.push(...part);
  return found;
}
const parts = async function* () {
  yield [{ number: "N" }];
};

test.each([
  ["objects", () => [{ number: "N" }]],
  ["a text", () => new ReadyJson(' [ {"number":"N"} ] ')],
  ["texts in pieces", () => new ReadyJsonList(['{"number":"N"}'])],
  ["parts", () => new ListInParts(parts())],
])("the follow-up orders come after the list of the external system, given as %s", async (_, data) => {
  expect(await listed(data())).toEqual([{ number: "N" }, ...orders]);
});

test.each([
  ["no objects", () => []],
  ["an empty text", () => new ReadyJson("[]")],
  ["no pieces", () => new ReadyJsonList([])],
])("the follow-up orders are the list if the external system has none: %s", async (_, data) => {
  expect(await listed(data())).toEqual(orders);
});
