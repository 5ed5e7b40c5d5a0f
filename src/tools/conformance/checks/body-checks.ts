import { shapeOf } from "../../../contract/derive/component-registry.ts";
import { spoiledSamples } from "../../../contract/derive/samples.ts";
import { type OperationId, operationIds, operationRow } from "../../../contract/operations.ts";
import type { Check, Level } from "../conformance-check.ts";
import { expectRefusal, skipUnlessServed } from "../harness/knowledge.ts";
import { resultOf, statusOf } from "../harness/recorded-exchange.ts";
import { sampleInput, withRunNumbers } from "../harness/sample-input.ts";
import { type Basis, sentences } from "../sentences.ts";

/** A query with a wrong body changes nothing, so it is safe in production. A wrong event might be accepted. */
const levelOf = (operation: OperationId): Level => (operationRow(operation).kind === "event" ? "full" : "read-only");
const withBody = operationIds.filter((id) => operationRow(id).body !== undefined);

const isList = (operation: OperationId) => {
  const { body } = operationRow(operation);
  return body !== undefined && shapeOf(body).type === "array";
};

const notJson = ["", "{", '{"a":', "[1,", "hello", "<a/>", '{"a":1} x'];
const wrongKinds = (operation: OperationId): readonly string[] => ["5", '"text"', isList(operation) ? "{}" : "[]"];

const sendBody = (body: string) => ({
  expectation: "invalid" as const,
  change: <R extends object>(request: R) => ({ ...request, body }),
});

const malformed = (operation: OperationId): Check => ({
  id: `${operation}.malformed-json`,
  group: operation,
  title: "a body that is not a JSON document is refused as invalid",
  level: levelOf(operation),
  basis: sentences.malformed,
  hint: "Catch the parser's error: no 5xx, and no default values for what could not be read.",
  run: async (trial) => {
    for (const body of notJson) {
      const exchange = await trial.call(operation, sampleInput(operation, trial.runId), sendBody(body));
      expectRefusal(trial, exchange, body === "" ? "an empty body" : "half a document");
    }
  },
});

const wrongKind = (operation: OperationId): Check => ({
  id: `${operation}.wrong-kind`,
  group: operation,
  title: `a body that is no ${isList(operation) ? "list" : "object"} is refused as invalid`,
  level: levelOf(operation),
  basis: sentences.validationModes,
  hint: "Check the type of the document before reading its members.",
  run: async (trial) => {
    for (const body of wrongKinds(operation)) {
      const exchange = await trial.call(operation, sampleInput(operation, trial.runId), sendBody(body));
      expectRefusal(trial, exchange, `the body ${body}`);
    }
  },
});

/** The sentence that makes members of these bodies required; for events only the identity is. Export rows have none. */
const requiredBy: Partial<Record<OperationId, Basis>> = {
  parseWorkOrderFile: sentences.fileUpload,
  parseItemFile: sentences.fileUpload,
  getReport: sentences.reportRequired,
};
const requires = (operation: OperationId): Basis | undefined =>
  operationRow(operation).kind === "event" ? sentences.identityOnly : requiredBy[operation];

const missing = (operation: OperationId, basis: Basis): Check => ({
  id: `${operation}.required`,
  group: operation,
  title: "every required member must be there",
  level: levelOf(operation),
  basis,
  hint: "Check what identifies the order, line, item and container; all else may be missing.",
  run: async (trial) => {
    for (const { name, body } of spoiledSamples(operation).filter(({ name: how }) =>
      /is missing|none of the/.test(how),
    )) {
      const input = withRunNumbers(body, trial.runId);
      expectRefusal(trial, await trial.call(operation, input, { expectation: "invalid" }), `a body where ${name},`);
    }
  },
});

const maxSpoilt = 40;

/** Returns a few elements of a long list, spread evenly. */
function spread<T>(all: readonly T[], count: number): readonly T[] {
  const step = Math.max(1, all.length / count);
  return Array.from({ length: Math.min(count, all.length) }, (_, index) => all[Math.floor(index * step)]).filter(
    (one) => one !== undefined,
  );
}

const spoilt = (operation: OperationId): Check => ({
  id: `${operation}.wrong-types`,
  group: operation,
  title: "members of a wrong type are read or refused, and never cause a server error",
  level: levelOf(operation),
  basis: sentences.never5xx,
  hint: "Validate before use: a list where a text belongs must end in a refusal with validationStatus, not in an exception.",
  run: async (trial) => {
    for (const { name, body } of spread(spoiledSamples(operation), maxSpoilt)) {
      const input = withRunNumbers(body, trial.runId);
      const exchange = await trial.call(operation, input, { expectation: "invalid" });
      skipUnlessServed(trial, exchange);
      if (statusOf(exchange) !== 200 && statusOf(exchange) !== 400)
        trial.complain(exchange, `200 or 400 where ${name}`);
      if (resultOf(exchange) === "InvalidInput") expectRefusal(trial, exchange, `a body where ${name},`);
    }
  },
});

export const bodyChecks: readonly Check[] = withBody.flatMap((operation) => {
  const basis = requires(operation);
  return [
    malformed(operation),
    wrongKind(operation),
    ...(basis === undefined ? [] : [missing(operation, basis)]),
    spoilt(operation),
  ];
});
