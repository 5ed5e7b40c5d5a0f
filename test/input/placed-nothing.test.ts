import { expect, test } from "vitest";
import { operations } from "../../src/contract/operations.ts";
import { ok } from "../../src/operation/outcome.ts";
import { startAdapter } from "../support/adapter/adapter.ts";
import { envelopeOf } from "../support/adapter/envelope-of.ts";
import { scriptedConnector } from "../support/connectors/scripted-connector.ts";

const step = { workOrderNumber: "N", requestId: 7 };
const post = (url: string, path: string, body: object) =>
  envelopeOf(
    fetch(url + path, { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  );

test("a placing step of a client that leaves zeros out is one of nothing", async () => {
  const told: unknown[] = [];
  const connector = scriptedConnector((_id, input) => {
    told.push(input);
    return ok({ updateWorkOrderRequest: null });
  });
  const { url } = await startAdapter({ connector });
  const answer = await post(url, operations.confirmStep.path, { ...step, REQUESTTYPE: 2 });
  expect(answer.isResultSuccess).toBe(true);
  expect(told).toMatchObject([{ requestType: 2, amountToConfirmPlacingInBaseUnitOfMeasure: 0 }]);
});

test.each([
  ["a picking step", operations.confirmStep.path, { ...step, requestType: 1 }],
  ["a step of no kind", operations.confirmStep.path, step],
  ["a cart step", operations.confirmCartStep.path, { ...step, requestType: 2 }],
])("%s without an amount is not valid: the amount may have another name", async (_what, path, body) => {
  const { url } = await startAdapter();
  expect(await post(url, path, body)).toMatchObject({ isResultSuccess: false, validationStatus: { errorCount: 1 } });
});
