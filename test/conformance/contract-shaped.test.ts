import { Agent, request as httpRequest } from "node:http";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { type OperationId, operationIds, operationRow } from "../../src/contract/operations.ts";
import { silentLog } from "../../src/kit/log.ts";
import {
  type ArbitraryInput,
  arbitraryAddress,
  arbitraryInput,
  arbitraryMangledBody,
} from "../input/arbitrary-input.ts";
import { startAdapter } from "../support/adapter/adapter.ts";
import { byForm } from "../support/long-form.ts";

/** Together at least 5,000 over all rows, and 20,000 in the long form. */
const runsPerRow = byForm({ gate: 260, long: 1_050 });

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

const statusMembers = "version, title, buildDateTime";
const envelopeMembers = "isResultSuccess, result, validationStatus, externalMessage, data";

/** What of it is not of the contract. Compared by hand: two hundred thousand expectations take longer than the answers. */
function faultsIn(id: OperationId, reply: Reply): readonly string[] {
  const row = operationRow(id);
  if (reply.status !== 200) return [`status ${reply.status}`];
  if (reply.type !== "application/json; charset=utf-8") return [`content-type ${reply.type}`];
  const envelope = JSON.parse(reply.body);
  const members = Object.keys(envelope).join(", ");
  if (members !== (row.results.length === 0 ? statusMembers : envelopeMembers)) return [`members ${members}`];
  if (row.results.length === 0) return [];
  const { isResultSuccess, result, validationStatus, externalMessage, data } = envelope;
  const isInvalid = validationStatus !== null;
  const faults: readonly (readonly [isOne: boolean, text: string])[] = [
    [row.results[result] === undefined, "result"],
    [isResultSuccess !== (row.results[result] === row.success), "isResultSuccess"],
    [externalMessage !== null && typeof externalMessage !== "string", "externalMessage"],
    [isInvalid && (isResultSuccess !== false || validationStatus.isValid !== false), "validationStatus"],
    [isInvalid && !(validationStatus.errorCount >= validationStatus.errorMessages.length), "errorCount"],
    [(!isResultSuccess || row.data === undefined) && data !== null, "data"],
  ];
  return faults.filter(([isOne]) => isOne).map(([, text]) => `${text} in ${reply.body}`);
}

test.each(operationIds)("%s answers in the contract's shape, whatever it is sent", async (id) => {
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
    fc.asyncProperty(arbitraryAddress(id), bodies, async (input, body) => {
      const faults = faultsIn(id, await send(row.method, addressOf(id, input), body));
      if (faults.length > 0 || errors.length > 0) throw new Error(JSON.stringify({ faults, errors }));
    }),
    { numRuns: runsPerRow },
  );
});

test("no prototype was changed on the way", () => {
  expect(Object.keys(Object.prototype)).toEqual([]);
});
