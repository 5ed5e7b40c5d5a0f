import { expect, test } from "vitest";
import type { Entry } from "../../journal/entry.ts";
import type { OwnLine, OwnWork } from "../../store/changes/read-own-work.ts";
import { later, ownBookings } from "./own-bookings.ts";

const request = { itemNumber: "A", requestedAmount: 100, requestExternalIdentifier: "A/lot1", lotNumber: "lot1" };
const line = (members: Partial<OwnLine> = {}): OwnLine => ({
  ...{ externalId: "A/lot1", itemNumber: "A", lot: "lot1", picked: 60 },
  request,
  ...members,
});
const workOf = (lines: readonly OwnLine[]) => (): OwnWork => ({ orders: ["4711"], lines });
const nothing = { list: () => [] };
const order = (requestedAmount: number, id = "A/lot1") => ({
  number: "4711",
  requests: [{ itemNumber: "A", lotNumber: "lot1", requestExternalIdentifier: id, requestedAmount }],
});

test("what the adapter booked is added to what is left, so that its own booking is no change", () => {
  expect(ownBookings(workOf([line()]), nothing)(order(40), 0)).toEqual(order(100));
});

test("what somebody else changed meanwhile is a change by exactly that much", () => {
  const add = ownBookings(workOf([line()]), nothing);
  expect(add(order(30), 0)).toEqual(order(90));
  expect(add(order(50), 0)).toEqual(order(110));
});

test("a line that is done and no longer listed was wanted as much as was picked", () => {
  const add = ownBookings(workOf([line({ picked: 100 })]), nothing);
  expect(add({ number: "4711", requests: [] }, 0)).toEqual({ number: "4711", requests: [request] });
});

test("lines without ids are found by item and lot", () => {
  const add = ownBookings(workOf([line({ externalId: null })]), nothing);
  expect(add(order(40, ""), 0)).toEqual(order(100, ""));
});

test("an order of which nothing was picked is taken as it is", () => {
  const given = order(40);
  expect(ownBookings(() => null, nothing)(given, 0)).toBe(given);
});

test.each<[string, Partial<Entry>]>([
  ["is under way", { state: "retry", deliveredAt: null }],
  ["arrived after the order was read", { state: "delivered", deliveredAt: 1500 }],
])("while an event of the order %s, nothing is decided", (_name, members) => {
  // The code under test reads only these members.
  const entry = { topic: "confirmStep", target: "erp", receivedAt: 500, ...members } as Entry;
  const add = ownBookings(workOf([line()]), { list: () => [entry] });
  expect(add(order(40), 1000)).toBe(later);
});

test("an amount whose unit is not certain is not added up", () => {
  expect(ownBookings(workOf([line({ picked: null })]), nothing)(order(40), 0)).toBe(later);
});
