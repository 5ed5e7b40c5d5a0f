import { describe, expect, test, vi } from "vitest";
import { operations } from "../../../src/contract/operations.ts";
import { ok } from "../../../src/operation/outcome.ts";
import { apiKey, startAdapter } from "../../support/adapter/adapter.ts";
import { scriptedConnector } from "../../support/connectors/scripted-connector.ts";
import { receiver } from "../../support/receivers/receiver.ts";

/** Ids that are next to each other, and one and the same as numbers. */
const [first, second, order] = ["9007199254740993", "9007199254740992", "9223372036854775807"];

const modelOf = (amount: number) =>
  `{"id":${order},"itemRequests":[{"requestId":${first},"itemNumber":"A","requestedAmount":3,"type":1,"order":1,"externalIdentifier":"x1"},` +
  `{"requestId":${second},"itemNumber":"B","requestedAmount":${amount},"type":1,"order":2,"externalIdentifier":"x2",` +
  `"designatedLocationId":${first},"shelf":{"keys":[${second},${first}]},"weight":0.12345678901234567891}]}`;

const step = (requestId: string, item: string, amount: number) =>
  `{"workOrderNumber":"N","requestId":${requestId},"itemNumber":"${item}","requestAmountInBaseUnitOfMeasure":3,` +
  `"requestRemainingAmountInBaseUnitOfMeasure":3,"amountToConfirmPickingSummary":{"containersBreakdown":[` +
  `{"amountToConfirmInBaseUnitOfMeasure":${amount}}]},"updateWorkOrderRequest":${modelOf(5)}}`;

const post = async (url: string, path: string, body: string) =>
  (
    await fetch(url + path, {
      method: "POST",
      body,
      headers: { "content-type": "application/json", authorization: `Bearer ${apiKey}` },
    })
  ).text();

test("ids of the platform that no number holds come back exactly in the change of a running order", async () => {
  const { url } = await startAdapter();
  const requests = [
    { itemNumber: "A", requestedAmount: 3, requestExternalIdentifier: "x1" },
    { itemNumber: "B", requestedAmount: 5, requestExternalIdentifier: "x2" },
  ];
  await post(url, "/inbound/work-orders", JSON.stringify({ number: "N", dueDate: "2030-01-01", requests }));
  const { path } = operations.confirmStep;
  expect(await post(url, path, step(first, "A", 1))).toMatch(/"isResultSuccess":true.*"updateWorkOrderRequest":null/);
  await post(url, "/inbound/cancellations", JSON.stringify({ workOrderNumber: "N", requestExternalIdentifier: "x2" }));
  const answer = await post(url, path, step(first, "A", 2));
  expect(answer).toContain(`"id":${order}`);
  expect(answer).toMatch(new RegExp(`"requestId":${second},.*"isCancelled":true`));
  expect(answer).toContain(`"designatedLocationId":${first},"shelf":{"keys":[${second},${first}]}`);
  expect(answer).not.toMatch(/:-|\[-/);
});

test("the journal names the line by the id that the platform sent", async () => {
  const { url } = await startAdapter();
  await post(url, operations.confirmStep.path, step(first, "A", 1));
  const headers = { authorization: `Bearer ${apiKey}` };
  const journal = await (await fetch(`${url}/admin/journal?topic=confirmStep`, { headers })).text();
  expect(journal).toContain(`"text":"line ${first} (A)`);
});

test("external systems are given the digits of such an id, and the bytes as they were sent", async () => {
  const told: unknown[] = [];
  const connector = scriptedConnector((_id, input) => {
    told.push(input);
    return ok({ updateWorkOrderRequest: null });
  });
  const { url } = await startAdapter({ connector });
  expect(await post(url, operations.confirmStep.path, step(first, "A", 1))).toContain('"isResultSuccess":true');
  expect(told).toMatchObject([
    {
      requestId: first,
      updateWorkOrderRequest: {
        id: order,
        itemRequests: [
          {},
          { designatedLocationId: first, shelf: { keys: [second, first] }, weight: 0.12345678901234568 },
        ],
      },
    },
  ]);
});

test("numbers that only the platform knows reach external systems with every digit, in any delivery", async () => {
  const told: unknown[] = [];
  const connector = scriptedConnector((_id, input) => {
    told.push(input);
    return ok(null);
  });
  const { url } = await startAdapter({ connector });
  const placed = `{"workOrderNumber":"N","itemNumber":"A","completedAmount":1,"eventId":${first}}`;
  await post(url, operations.confirmPutWallPlacement.path, placed);
  await post(
    url,
    operations.confirmPutWallPlacement.path,
    placed.replace("itemNumber", "ItemNumber").replace('"N"', '"M"'),
  );
  await vi.waitFor(() => expect(told).toMatchObject([{ eventId: first }, { eventId: first, itemNumber: "A" }]), 60_000);
});

describe("an update that an ERP answers to a step with such ids", () => {
  const unsent = "9007199254740995";
  const answered = async (update: string) => {
    const erp = await receiver((response) => {
      response.writeHead(200, { "content-type": "application/json" }).end(`{"updateWorkOrderRequest":${update}}`);
    });
    const config = {
      connectors: { erp: { type: "webhook", url: erp.url, allowPrivate: true } },
      events: { to: "erp", modes: { confirmStep: "direct" } },
    };
    const { url } = await startAdapter({ config });
    return await post(url, operations.confirmStep.path, step(first, "A", 1));
  };

  test("is passed on with every digit", async () => {
    const answer = await answered(modelOf(4).replace(',"weight":0.12345678901234567891', ""));
    expect(answer).toContain(`"id":${order}`);
    expect(answer).toMatch(new RegExp(`"requestId":${second},.*"requestedAmount":4`));
    expect(answer).toContain(`"designatedLocationId":${first},"shelf":{"keys":[${second},${first}]}`);
  });

  test.each([
    ["another order", modelOf(4).replace(order, unsent)],
    ["a line that the step does not have", modelOf(4).replaceAll(`"requestId":${second}`, `"requestId":${unsent}`)],
    ["an amount that no number holds", modelOf(4).replace(":4,", ":12345678901234567890,")],
    ["an amount that would be rounded", modelOf(4).replace(":4,", ":1.0000000000000001,")],
  ])("is ignored if it has %s, and the step is delivered", async (_what, update) => {
    expect(await answered(update)).toMatch(/"isResultSuccess":true.*"updateWorkOrderRequest":null/);
  });
});

describe("a number that is no id", () => {
  const [most, least] = ["9223372036854775807", "-9223372036854775808"];
  const messagesOf = async (body: string) => {
    const { url } = await startAdapter();
    const answer = JSON.parse(await post(url, operations.confirmStep.path, body)) as {
      result: number;
      validationStatus: { errorMessages: string[] };
    };
    expect(answer.result).toBe(0);
    return answer.validationStatus.errorMessages;
  };

  test.each([
    ["9223372036854775808", most],
    ["12345678901234567890", most],
    ["1e300", most],
    ["1e400", most],
    ["-9223372036854775809", least],
  ])("is refused with the limit: %s", async (id, limit) => {
    const [message, ...others] = await messagesOf(step(id, "A", 1));
    expect(others).toEqual([]);
    expect(message).toMatch(/^requestId\b/);
    expect(message).toContain(limit);
  });

  test.each(["1.5", "9007199254740993.5"])("is refused as not whole: %s", async (id) => {
    expect(await messagesOf(step(id, "A", 1))).toEqual([expect.stringMatching(/^requestId\b.*whole number/)]);
  });

  test("is named by its own place, with the digits that were sent", async () => {
    const tooLarge = "12345678901234567890";
    const body = step("1", "A", 1)
      .replace(order, tooLarge)
      .replace(`"requestId":${second}`, `"requestId":${tooLarge}1`);
    const messages = await messagesOf(body);
    expect(messages).toEqual([
      expect.stringMatching(new RegExp(`^updateWorkOrderRequest\\.id\\b.*${tooLarge}(?!\\d)`)),
      expect.stringMatching(new RegExp(`^updateWorkOrderRequest\\.itemRequests\\[1\\]\\.requestId\\b.*${tooLarge}1`)),
    ]);
  });
});

test.each(["12345678901234567890", "1000000000000000.25", "1e400"])(
  "an amount that is refused is shown as it was sent: %s",
  async (amount) => {
    const { url } = await startAdapter();
    const placed = `{"workOrderNumber":"N","itemNumber":"A","completedAmount":${amount}}`;
    expect(await post(url, operations.confirmPutWallPlacement.path, placed)).toMatch(
      new RegExp(`completedAmount.*must be 1000000000000000 or less.*[ (]${amount.replace(".", "\\.")}(?!\\d)`),
    );
    const moved = `[{"containerCode":"C","destinationLocationName":"L","workOrder":{"number":"N","requests":[{"completedAmount":${amount}}]}}]`;
    expect(await post(url, operations.relocateCartContainers.path, moved)).toContain(amount);
  },
);
