import { Agent, request as httpRequest } from "node:http";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { type OperationId, operationIds, operationRow } from "../../src/contract/operations.ts";
import { silentLog } from "../../src/kit/log.ts";
import { type ArbitraryInput, arbitraryInput, arbitraryMangledBody } from "../input/arbitrary-input.ts";
import { startAdapter } from "../support/adapter/adapter.ts";

/** Together at least 20,000 over all rows. */
const runsPerRow = 1_050;

let port: string;
/** What the adapter logged as its own failure: a well-formed answer may still hide one. */
const errors: object[] = [];
const agent = new Agent({ keepAlive: true, maxSockets: 8 });
beforeAll(async () => {
  const log = { ...silentLog, error: (fields: object) => errors.push(fields) };
  const adapter = await startAdapter({ sample: true, log, onFinished: () => {} });
  port = new URL(adapter.url).port;
  return async () => {
    agent.destroy();
    await adapter.close();
  };
});

interface Reply {
  readonly status: number;
  readonly type: string | undefined;
  readonly body: string;
}

function send(method: string, path: string, body?: string): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { "content-type": "application/json" };
    const request = httpRequest({ host: "127.0.0.1", port, method, path, headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          type: response.headers["content-type"],
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
    request.on("error", reject);
    request.end(body);
  });
}

/** Not encodeURIComponent alone: it throws on lone surrogates, and a raw percent sign must be tried as well. */
const encoded = (text: string) => encodeURIComponent(text.toWellFormed());

function addressOf(id: OperationId, { params, query }: ArbitraryInput): string {
  const path = operationRow(id).path.replace(
    /\{(\w+)\}/,
    (_, name: string) => encoded(String(params?.[name] ?? "x")) || "x",
  );
  const members = Object.entries(query ?? {}).map(([name, value]) => `${name}=${encoded(String(value))}`);
  return members.length === 0 ? path : `${path}?${members.join("&")}`;
}

function isContractShaped(id: OperationId, reply: Reply): void {
  const row = operationRow(id);
  expect(reply.status).toBe(200);
  expect(reply.type).toBe("application/json; charset=utf-8");
  const envelope = JSON.parse(reply.body);
  if (row.results.length === 0) {
    expect(Object.keys(envelope)).toEqual(["version", "title", "buildDateTime"]);
    return;
  }
  expect(Object.keys(envelope)).toEqual(["isResultSuccess", "result", "validationStatus", "externalMessage", "data"]);
  const { isResultSuccess, result, validationStatus, externalMessage, data } = envelope;
  expect(row.results[result]).toBeDefined();
  expect(isResultSuccess).toBe(row.results[result] === row.success);
  expect(externalMessage === null || typeof externalMessage === "string").toBe(true);
  if (validationStatus !== null) {
    expect(isResultSuccess).toBe(false);
    expect(validationStatus).toMatchObject({ isValid: false });
    expect(validationStatus.errorCount).toBeGreaterThanOrEqual(validationStatus.errorMessages.length);
  }
  if (!isResultSuccess || row.data === undefined) expect(data).toBeNull();
}

test.each(operationIds)("%s answers in the contract's shape, whatever it is sent", { timeout: 120_000 }, async (id) => {
  const row = operationRow(id);
  const bodies =
    row.body === undefined
      ? fc.constant(undefined)
      : fc.oneof(
          { arbitrary: arbitraryMangledBody(id).map((value) => JSON.stringify(value)), weight: 4 },
          { arbitrary: arbitraryInput(id).map(({ body }) => JSON.stringify(body)), weight: 3 },
          { arbitrary: fc.json({ maxDepth: 4 }), weight: 1 },
          { arbitrary: fc.string({ maxLength: 200 }), weight: 1 },
        );
  await fc.assert(
    fc.asyncProperty(arbitraryInput(id), bodies, async (input, body) => {
      isContractShaped(id, await send(row.method, addressOf(id, input), body));
      expect(errors).toEqual([]);
    }),
    { numRuns: runsPerRow },
  );
});

test("no prototype was changed on the way", () => {
  expect(Object.keys(Object.prototype)).toEqual([]);
});
