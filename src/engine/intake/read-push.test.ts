import fc from "fast-check";
import { expect, test } from "vitest";
import { type PushTopic, pushTopics } from "../../contract/pushes.ts";
import { parseJsonKeepingDigits } from "../../kit/json/exact-number.ts";
import { readElement } from "./read-push.ts";

const dates = { timeZone: "UTC", timeOfDay: "08:00" };
const fieldsOf = (topic: PushTopic, element: unknown) => {
  const reading = readElement(topic, element, dates);
  return "problems" in reading ? reading.problems.map(({ field, expected }) => `${field} ${expected}`) : [];
};

test.each<[topic: PushTopic, element: unknown, problems: string[]]>([
  [
    "workOrders",
    { number: "1", dueDate: "soon", customerRequiredDeliveryDate: "later", requests: [{ itemNumber: "A\ud800" }, 7] },
    [
      ...["requests[0].requestedAmount present", "requests[1] object"],
      ...["dueDate date", "customerRequiredDeliveryDate date", "requests[0].itemNumber lone-surrogate"],
    ],
  ],
  ["workOrders", { number: 1, dueDate: "soon", requests: "none" }, ["number text", "requests list", "dueDate date"]],
  ["items", { number: 7, image: "no image", name: "\udc00" }, ["number text", "name lone-surrogate", "image image"]],
  ["stock", { itemNumber: "A", asOf: "soon" }, ["amount present", "asOf date"]],
  ["cancellations", { workOrderNumber: 5, requestedAmount: 1 }, ["workOrderNumber text", " one-member-of"]],
])("everything that is wrong with an element of %s is reported at once", (topic, element, problems) => {
  expect(fieldsOf(topic, element).toSorted()).toEqual(problems.toSorted());
});

test("any value can be looked over, whatever its members are", () => {
  const members = ["number", "dueDate", "requests", "itemNumber", "image", "asOf", "amount", "externalData"];
  const value = fc.dictionary(fc.constantFrom(...members), fc.jsonValue());
  fc.assert(
    fc.property(fc.constantFrom(...pushTopics), fc.oneof(value, fc.jsonValue()), (topic, element) => {
      readElement(topic, element, dates);
    }),
  );
});

test("a long number in the place of a number of an order is reported with its digits", () => {
  const element = parseJsonKeepingDigits('{"number":12345678901234567890,"dueDate":"soon","requests":[]}');
  const reading = readElement("workOrders", element, dates);
  const [first] = "problems" in reading ? reading.problems : [];
  expect(first).toMatchObject({ field: "number", expected: "text", found: "12345678901234567890" });
});

test.each([
  ["stock", '{"itemNumber":"A","amount":1.0000000000000001}', "amount", "exact-number"],
  ["stock", '{"itemNumber":"A","amount":12345678901234567890}', "amount", "at-most"],
  ["stock", '{"itemNumber":"A","amount":-12345678901234567890}', "amount", "at-least"],
  ["cancellations", '{"workOrderNumber":"1","requestedAmount":1.0000000000000001}', "requestedAmount", "exact-number"],
  ["cancellations", '{"workOrderNumber":"1","requestedAmount":-0.10000000000000000001}', "requestedAmount", "at-least"],
] as const)("an amount of %s with more digits than a number keeps is refused: %s", (topic, text, field, expected) => {
  const reading = readElement(topic, parseJsonKeepingDigits(text), dates);
  const found = /mount":([-\d.]+)/.exec(text)?.[1];
  expect("problems" in reading ? reading.problems : reading).toMatchObject([{ field, expected, found }]);
});

test("a measure of an item with more digits than a number keeps becomes the nearest number", () => {
  const element = parseJsonKeepingDigits('{"number":"A","weight":0.3333333333333333333333}');
  const reading = readElement("items", element, dates);
  expect("entry" in reading ? JSON.parse(reading.payload) : reading).toMatchObject({ weight: 1 / 3 });
});
