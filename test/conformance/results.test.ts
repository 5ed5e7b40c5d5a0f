import { beforeAll, describe, expect, test } from "vitest";
import { requestFor } from "../../src/contract/derive/client.ts";
import { dataSample, validSamples } from "../../src/contract/derive/samples.ts";
import { type FaultKind, resultForFault } from "../../src/contract/operation.ts";
import { type OfferedId, type OperationId, operationIds, operationRow } from "../../src/contract/operations.ts";
import { capabilities, capabilityNames } from "../../src/engine/queries/routing.ts";
import { Fault } from "../../src/operation/fault.ts";
import { type AnyOutcome, ok, refuse } from "../../src/operation/outcome.ts";
import { bulkBytes } from "../../src/server/connection/bulk-parser.ts";
import { startAdapter } from "../support/adapter/adapter.ts";
import { envelopeOf } from "../support/adapter/envelope-of.ts";
import { scriptedConnector } from "../support/connectors/scripted-connector.ts";

const offeredIds = operationIds.filter((id): id is OfferedId => id !== "getStatus");
const faultKinds: readonly FaultKind[] = ["not-offered", "invalid", "unreachable", "rejected", "broken"];

const everyRefusal = offeredIds.flatMap((id) => {
  const { results, success } = operationRow(id);
  return results.filter((result) => result !== success).map((result) => ({ id, result }));
});
const everyFault = offeredIds.flatMap((id) => faultKinds.map((kind) => ({ id, kind })));

async function send(url: string, id: OperationId, language = "en") {
  const row = operationRow(id);
  const [sample] = validSamples(id);
  const { method, path, body } = requestFor(row, sample?.body ?? { ...sample?.params, ...sample?.query });
  const response = await fetch(url + path, {
    method,
    // The same sample is sent many times; with a key of its own each one counts as new.
    headers: {
      "idempotency-key": crypto.randomUUID(),
      "accept-language": language,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body }),
  });
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
  return envelopeOf(response);
}

describe("every row gives every result it lists", () => {
  let answer: () => AnyOutcome = () => ok(null);
  let url: string;
  beforeAll(async () => {
    const adapter = await startAdapter({ connector: scriptedConnector(() => answer()), onFinished: () => {} });
    url = adapter.url;
    return adapter.close;
  });

  test.each(everyRefusal)("$id refuses with $result", async ({ id, result }) => {
    answer = () => refuse(result, "words of the ERP");
    expect(await send(url, id)).toEqual({
      isResultSuccess: false,
      result: operationRow(id).results.indexOf(result),
      validationStatus: null,
      externalMessage: "words of the ERP",
      data: null,
    });
  });

  test.each(offeredIds)("%s succeeds", async (id) => {
    const row = operationRow(id);
    answer = () => ok(row.data === undefined ? null : dataSample(id));
    const envelope = await send(url, id);
    expect(envelope).toMatchObject({
      isResultSuccess: true,
      result: row.results.indexOf(row.success),
      validationStatus: null,
      externalMessage: null,
    });
    if (row.data === undefined) expect(envelope.data).toBeNull();
    else expect(envelope.data).not.toBeNull();
  });

  test.each(everyFault)("$id turns a fault of kind $kind into its own result", async ({ id, kind }) => {
    answer = () => {
      throw new Fault(kind, "for the log only");
    };
    const row = operationRow(id);
    const envelope = await send(url, id);
    expect(envelope).toMatchObject({
      isResultSuccess: false,
      result: row.results.indexOf(resultForFault(row, kind)),
      data: null,
    });
    expect(JSON.stringify(envelope)).not.toContain("for the log only");
  });

  test("a fault nobody foresaw gives OperationFailed with a reference into the log", async () => {
    answer = () => {
      throw new TypeError("x is not a function");
    };
    const envelope = await send(url, "getItem");
    expect(envelope.result).toBe(operationRow("getItem").results.indexOf("OperationFailed"));
    expect(envelope.externalMessage).toMatch(/[A-Z2-9]{8}/);
  });
});

describe("an adapter with every capability switched off", () => {
  let url: string;
  beforeAll(async () => {
    const serve = Object.fromEntries(capabilityNames.map((name) => [name, "none"]));
    const adapter = await startAdapter({ config: { serve }, onFinished: () => {} });
    url = adapter.url;
    return adapter.close;
  });

  test.each(capabilityNames.flatMap((name) => capabilities[name].queries.map((id) => [name, id] as const)))(
    "serve.%s: none answers %s with AdapterNotDefined",
    async (_name, id) => {
      const envelope = await send(url, id);
      expect(envelope.result).toBe(operationRow(id).results.indexOf("AdapterNotDefined"));
    },
  );

  test("a large file is answered with AdapterNotDefined as well", async () => {
    const fileContent = Buffer.alloc(2 * bulkBytes, "x").toString("base64");
    const { path, results } = operationRow("parseWorkOrderFile");
    const response = await fetch(url + path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ fileContent, fileType: 1 }),
    });
    expect(await response.json()).toMatchObject({ result: results.indexOf("AdapterNotDefined") });
  });
});

describe("an adapter that offers nothing", () => {
  let url: string;
  beforeAll(async () => {
    const adapter = await startAdapter({ connector: scriptedConnector(() => ok(null), []), onFinished: () => {} });
    url = adapter.url;
    return adapter.close;
  });

  test.each(offeredIds)("%s is AdapterNotDefined", async (id) => {
    const envelope = await send(url, id);
    expect(envelope.result).toBe(operationRow(id).results.indexOf("AdapterNotDefined"));
    expect(envelope.isResultSuccess).toBe(false);
  });

  test("its status is still given", async () => {
    const response = await fetch(url + operationRow("getStatus").path);
    expect(await response.json()).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      title: "Crossdock",
    });
  });
});
