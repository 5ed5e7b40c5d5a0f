import { expect, test } from "vitest";
import { bookLine, type JournalLine, type JournalRecord } from "./platform-records.ts";

const line = (changes: Partial<JournalLine>): JournalLine => ({
  seq: 1,
  direction: "out",
  topic: "confirmPutWallPlacement",
  orders: ["W-1"],
  answer: { isSuccess: true },
  body: '{"itemNumber":"A","completedAmount":2,"confirmedLocationName":"Wall 1"}',
  state: "accepted",
  ...changes,
});

test.each([
  ["answered with success", {}, 1],
  ["agreed to by the external system while the platform waited", { answer: null, state: "delivered" }, 1],
  ["answered with failure", { answer: { isSuccess: false }, state: "rejected" }, 0],
  ["still on its way, with nobody answered", { answer: null, state: "inflight" }, 0],
  ["pushed by the external system", { direction: "in" }, 0],
  ["of somebody else's order", { orders: ["X-1"] }, 0],
])("an event %s is in the journal's books or not", (_, changes, times) => {
  const books = new Map<string, JournalRecord>();
  bookLine(books, line(changes), (order) => order === "W-1");
  expect(books.get("W-1")?.events.get("confirmPutWallPlacement") ?? 0).toBe(times);
});
