import { beforeAll, describe, expect, test } from "vitest";
import { requestFor } from "../../src/contract/derive/client.ts";
import { spoiledSamples, validSamples } from "../../src/contract/derive/samples.ts";
import type { ProblemDetails } from "../../src/contract/envelope.ts";
import { resultForFault } from "../../src/contract/operation.ts";
import { operationIds, operationRow } from "../../src/contract/operations.ts";
import { pushRow, pushTopics } from "../../src/contract/pushes.ts";
import { integer, row } from "../../src/kit/sqlite/row.ts";
import { openDatabase } from "../../src/kit/sqlite/sqlite.ts";
import { apiKey, startAdapter } from "../support/adapter/adapter.ts";
import { envelopeOf } from "../support/adapter/envelope-of.ts";

const json = { "content-type": "application/json" };
let url: string;
let entries: () => number;
beforeAll(async () => {
  const adapter = await startAdapter({ onFinished: () => {} });
  url = adapter.url;
  // Without the receipts that a cancellation may bring about: they are the adapter's own.
  entries = () => {
    const database = openDatabase(`${adapter.folder}/data/crossdock.db`, { readOnly: true });
    const found = database
      .query("SELECT count(*) AS entries FROM entry WHERE topic <> 'changeReceipt'", row({ entries: integer }))
      .get();
    database.close();
    return found?.entries ?? -1;
  };
  return adapter.close;
});

const withBody = operationIds.filter((id) => operationRow(id).body !== undefined);

describe.each(withBody)("%s", (id) => {
  const row = operationRow(id);

  test.each(spoiledSamples(id))("names what is wrong: $name", async ({ body, field }) => {
    const before = entries();
    const request = requestFor(row, body);
    const response = await fetch(url + request.path, {
      method: request.method,
      headers: json,
      body: request.body ?? null,
    });
    expect(response.status).toBe(200);
    const { result, validationStatus, data } = await envelopeOf(response);
    expect(result).toBe(row.results.indexOf(resultForFault(row, "invalid")));
    expect(data).toBeNull();
    expect(validationStatus?.isValid).toBe(false);
    if (field !== "") expect(validationStatus?.errorMessages.join("\n")).toContain(field);
    expect(entries()).toBe(before);
  });
});

describe.each(pushTopics)("the push of %s", (topic) => {
  const push = (body: unknown) =>
    fetch(url + pushRow(topic).path, {
      method: "POST",
      headers: { ...json, "x-api-key": apiKey },
      body: JSON.stringify(body),
    });

  test.each(spoiledSamples(topic))("is refused as a whole, naming the field: $name", async ({ body, field }) => {
    const before = entries();
    const response = await push(body);
    expect(response.status).toBe(400);
    const problem = (await response.json()) as ProblemDetails;
    expect(Object.keys(problem.errors ?? {})).toContain(field === "" ? "$" : field);
    expect(entries()).toBe(before);
  });

  test.each(validSamples(topic))("is taken and answered with the ids of its entries: $name", async ({ body }) => {
    const before = entries();
    const response = await push(body);
    expect(response.status).toBe(202);
    const { ids, unchanged = 0 } = (await response.json()) as { ids: string[]; unchanged?: number };
    expect(ids).toHaveLength(Array.isArray(body) ? body.length : 1);
    for (const id of ids) expect(id).toMatch(/^evt_[0-9a-f-]{36}$/);
    // Samples of a small schema may be equal to each other.
    expect(entries()).toBe(before + ids.length - unchanged);
  });
});

test("a list of pushed orders names every bad element and stores none", async () => {
  const before = entries();
  const good = { number: "S-1", dueDate: "2030-01-01", requests: [{ itemNumber: "A", requestedAmount: 1 }] };
  const orders = [
    good,
    { ...good, number: "S-2", dueDate: "someday" },
    { ...good, number: "S-3", requests: [{ itemNumber: "A", requestedAmount: 1.5 }] },
    { ...good, description: "the first number again, with other content" },
  ];
  const response = await fetch(url + pushRow("workOrders").path, {
    method: "POST",
    headers: { ...json, "x-api-key": apiKey },
    body: JSON.stringify(orders),
  });
  expect(response.status).toBe(400);
  const { errors } = (await response.json()) as ProblemDetails;
  expect(Object.keys(errors ?? {})).toEqual(["[1].dueDate", "[2].requests[0].requestedAmount", "[3].number"]);
  expect(entries()).toBe(before);
});

test("a large push is read in the other thread and taken as a whole", async () => {
  const orders = Array.from({ length: 3000 }, (_, index) => ({
    number: `BIG-${index}`,
    dueDate: "2030-01-01",
    requests: [{ itemNumber: "A", requestedAmount: 1, itemDescription: "x".repeat(50) }],
  }));
  const response = await fetch(url + pushRow("workOrders").path, {
    method: "POST",
    headers: { ...json, "x-api-key": apiKey },
    body: JSON.stringify(orders),
  });
  expect(response.status).toBe(202);
  const listed = await envelopeOf(fetch(url + operationRow("listWorkOrders").path));
  const numbers = (listed.data as { number: string }[]).map(({ number }) => number);
  expect(numbers.filter((number) => number.startsWith("BIG-"))).toHaveLength(3000);
});
