import { type OperationId, operationIds, operationRow } from "../../../contract/operations.ts";
import type { Check } from "../conformance-check.ts";
import { skipUnlessServed, type Trial } from "../harness/knowledge.ts";
import { type Exchange, isSuccess, resultOf, statusOf } from "../harness/recorded-exchange.ts";
import { inventedNumber, isRemembered, sampleInput } from "../harness/sample-input.ts";
import { isReceived } from "../harness/wire.ts";
import { sentences } from "../sentences.ts";

export const statusChecks: readonly Check[] = [
  {
    id: "getStatus.no-envelope",
    group: "getStatus",
    title: "the version is given without an envelope",
    level: "read-only",
    basis: sentences.status,
    hint: "version, title and buildDateTime stand at the top of the object.",
    run: async ({ call, complain }) => {
      const exchange = await call("getStatus");
      const { answer } = exchange;
      if (statusOf(exchange) !== 200 || answer === null) complain(exchange, "a JSON object");
      else if ("isResultSuccess" in answer || "data" in answer) complain(exchange, "no envelope");
      else {
        const absent = ["version", "title", "buildDateTime"].filter((name) => !(name in answer));
        if (absent.length > 0) complain(exchange, absent.join(", "));
      }
    },
  },
  {
    id: "getStatus.version",
    group: "getStatus",
    title: "the version is Major.Minor.Patch",
    level: "read-only",
    basis: sentences.version,
    hint: "Cut build numbers and suffixes: 2.4.1, not v2.4.1-rc3+build.17.",
    run: async ({ call, complain, skip }) => {
      const exchange = await call("getStatus");
      const version = exchange.answer?.["version"];
      if (version === null || version === undefined) skip("it tells no version");
      if (typeof version !== "string" || !/^\d+\.\d+\.\d+$/.test(version)) complain(exchange, "Major.Minor.Patch");
    },
  },
];

const parallelCalls = 20;

/** Whether a GET for this path is another operation: /Items/File is the item "File". */
const isAlsoAsked = (path: string) =>
  operationIds.some((id) => {
    const row = operationRow(id);
    return row.method === "GET" && row.params !== undefined && path.startsWith(row.path.replace(/\{\w+\}$/, ""));
  });

/** The result of a scan: the number of the order, or the name of the result. */
const foundIn = (exchange: Exchange): string =>
  String(Object(exchange.answer?.["data"] ?? {})["number"] ?? resultOf(exchange) ?? statusOf(exchange));

async function scanEach(trial: Trial, inputs: readonly object[]): Promise<string[]> {
  const found: string[] = [];
  for (const input of inputs) {
    const exchange = await trial.call("findWorkOrderByCode", input);
    skipUnlessServed(trial, exchange);
    found.push(foundIn(exchange));
  }
  return found;
}

const postedTo = operationIds.filter((id) => operationRow(id).method === "POST");

const wrongMethod = (operation: OperationId): Check => ({
  id: `${operation}.wrong-method`,
  group: operation,
  title: "GET is answered with 405 and the allowed method",
  level: "read-only",
  basis: sentences.httpEdges,
  hint: "A 404 here usually means that the route is missing or spelled otherwise.",
  run: async ({ call, complain }) => {
    const exchange = await call(operation, sampleInput(operation, "0"), {
      expectation: "foreign",
      change: ({ path }) => ({ method: "GET", path }),
    });
    const { reply } = exchange;
    if (statusOf(exchange) !== 405) complain(exchange, "HTTP 405");
    else if (isReceived(reply) && !/\bPOST\b/i.test(reply.headers.allow ?? "")) complain(exchange, "Allow: POST");
  },
});

const wrongMediaType = (operation: OperationId): Check => ({
  id: `${operation}.media-type`,
  group: operation,
  title: "a body that is not JSON is not read as JSON",
  level: isRemembered(operation) ? "full" : "read-only",
  basis: sentences.wrongType,
  hint: "Answer 415 (or refuse as invalid) where the content type is not application/json.",
  run: async (trial) => {
    const exchange = await trial.call(operation, sampleInput(operation, trial.runId), {
      expectation: "foreign",
      change: (request) => ({ ...request, headers: { "content-type": "text/xml" }, body: "<a/>" }),
    });
    skipUnlessServed(trial, exchange);
    const status = statusOf(exchange);
    if (status >= 500 || status === 0 || isSuccess(exchange)) trial.complain(exchange, "HTTP 415");
  },
});

export const httpChecks: readonly Check[] = [
  {
    id: "adapter.unknown-route",
    group: "adapter",
    title: "an unknown route is answered with 404",
    level: "read-only",
    basis: sentences.httpEdges,
    hint: "A page of a web server or a proxy that answers 200 to everything hides a wrong base address.",
    run: async ({ call, complain, runId }) => {
      const exchange = await call("getStatus", undefined, {
        expectation: "foreign",
        change: (request) => ({ ...request, path: `/Conform${runId}` }),
      });
      if (statusOf(exchange) !== 404) complain(exchange, "HTTP 404");
    },
  },
  {
    id: "adapter.parallel",
    group: "adapter",
    title: `${parallelCalls} scans at the same time are each answered for their own code`,
    level: "read-only",
    basis: sentences.codeNotFound,
    hint: "Look for state shared between requests.",
    run: async (trial) => {
      const inputs = [...trial.known.orders.slice(0, 3), undefined].map((order, index) => ({
        Code: order?.number ?? inventedNumber(trial.runId, `NONE${index}`),
        StorageName: order?.designatedStorageName ?? "Main",
      }));
      const alone = await scanEach(trial, inputs);
      const many = Array.from({ length: parallelCalls }, (_, index) => index % inputs.length);
      const together = await Promise.all(
        many.map(async (index) => ({ index, exchange: await trial.call("findWorkOrderByCode", inputs[index]) })),
      );
      // Another operator may start an order meanwhile, so an answer counts only if a second scan alone equals the
      // first.
      const again = await scanEach(trial, inputs);
      for (const { index, exchange } of together) {
        const expected = alone[index];
        if (expected === undefined || again[index] !== expected || foundIn(exchange) === expected) continue;
        trial.complain(exchange, `${expected}, as when the code is scanned alone`);
      }
    },
  },
  ...postedTo.filter((id) => !isAlsoAsked(operationRow(id).path)).map(wrongMethod),
  ...postedTo.map(wrongMediaType),
];
