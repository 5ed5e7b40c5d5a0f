import { expect, test } from "vitest";
import { normaliseItem, normaliseWorkOrder } from "./normalise-work-order.ts";

const dates = { timeZone: "Europe/Berlin", timeOfDay: "17:00" };
const line = { itemNumber: "00420", requestedAmount: 3 };

test("unit, type and sequence are written where the order does not say them", () => {
  const result = normaliseWorkOrder(
    { number: "1", dueDate: "2026-03-01", requests: [line, { ...line, order: 9, requestType: 2, unitOfMeasure: 4 }] },
    dates,
  );
  expect(result).toEqual({
    workOrder: {
      number: "1",
      dueDate: "2026-03-01T17:00:00+01:00",
      requests: [
        { ...line, requestType: 1, unitOfMeasure: 0, order: 1 },
        { ...line, requestType: 2, unitOfMeasure: 4, order: 9 },
      ],
    },
  });
});

test("objects given as external data become text, and text stays as it is", () => {
  const result = normaliseWorkOrder(
    {
      number: "1",
      dueDate: "2026-03-01T00:00:00Z",
      externalData: { a: [1] },
      requests: [
        { ...line, requestExternalData: { b: 2 } },
        { ...line, requestExternalData: "{no json" },
      ],
    },
    dates,
  );
  expect(result).toMatchObject({
    workOrder: {
      externalData: '{"a":[1]}',
      requests: [{ requestExternalData: '{"b":2}' }, { requestExternalData: "{no json" }],
    },
  });
});

test("null members are left out and unknown members are kept, even one named __proto__", () => {
  const pushed = JSON.parse(
    '{"number":"1","dueDate":"2026-03-01","description":null,"colour":null,"__proto__":{"x":1},"requests":[{"itemNumber":"a","requestedAmount":1,"order":null,"shade":"b"}]}',
  );
  const result = normaliseWorkOrder(pushed, dates);
  expect(JSON.parse(JSON.stringify(result)).workOrder).toEqual(
    JSON.parse(
      '{"number":"1","dueDate":"2026-03-01T17:00:00+01:00","colour":null,"__proto__":{"x":1},"requests":[{"itemNumber":"a","requestedAmount":1,"shade":"b","requestType":1,"unitOfMeasure":0,"order":1}]}',
    ),
  );
});

test("every date that does not exist is named", () => {
  const result = normaliseWorkOrder(
    { number: "1", dueDate: "2026-02-30", customerRequiredDeliveryDate: "soon", requests: [line] },
    dates,
  );
  expect(result).toEqual({
    problems: [
      { field: "dueDate", expected: "date", found: '"2026-02-30"' },
      { field: "customerRequiredDeliveryDate", expected: "date", found: '"soon"' },
    ],
  });
});

test("an item loses its image and gains its unit", () => {
  expect(normaliseItem({ number: "7", image: "QUJD", name: null, weight: 1.5 })).toEqual({
    number: "7",
    weight: 1.5,
    unitOfMeasure: 0,
  });
});
