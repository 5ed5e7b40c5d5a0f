import { expect, test } from "vitest";
import { unknownMembers } from "./unknown-members.ts";

test.each([
  "order",
  "order.number",
  "order.requests.itemNumber",
  "order.requests[0].lotNumber",
  "order.externalIndexableValue",
  "order.externalData",
  "order.externalData.customer.name",
  "externalData.anything.at.all",
  "deliveryNote.no & deliveryAddress.city",
  "order.`own member`",
  "order.`own`.deeper",
  "$count(order.requests[requestedAmount > 1])",
  '$lookup(order, "own")',
])("%s may be there", (value) => {
  expect(unknownMembers(value)).toEqual([]);
});

test.each([
  ["order.numbr", /^the contract has no numbr here; did you mean number\?$/],
  ["order.`own` & order.numbr", /did you mean number\?/],
  ["order.requests.itemNumbr", /did you mean itemNumber\?/],
  ["$uppercase(order.deliveryNumbr)", /did you mean deliveryNumber\?/],
  ["order.requests.requestExternalData.x", /is a single value and has no members/],
])("%s is never there", (value, text) => {
  expect(unknownMembers(value)).toEqual([expect.stringMatching(text)]);
});
