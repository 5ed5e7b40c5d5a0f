import { resultNumber } from "../envelope.ts";
import type { Operation } from "../operation.ts";
import { enumNumbers, type JsonObject } from "./component-registry.ts";

/** `{ errorMessages, isValid, errorCount }`, set only when validation failed. */
export const validationStatusSchema: JsonObject = {
  type: "object",
  description: "What is wrong with the input, in the language of the request.",
  required: ["errorMessages", "isValid", "errorCount"],
  properties: {
    errorMessages: { type: "array", items: { type: "string" }, description: "At most 100 texts." },
    isValid: { type: "boolean", description: "Always false here." },
    errorCount: { type: "integer", description: "How many errors there are, also where the list was cut." },
  },
};

/** The envelope of one row: its own result numbers, its own data, and the law between them. */
export function envelopeSchema(row: Operation, data: JsonObject | null, validationStatus: JsonObject): JsonObject {
  return {
    type: "object",
    required: ["isResultSuccess", "result", "validationStatus", "externalMessage", "data"],
    properties: {
      isResultSuccess: {
        type: "boolean",
        description: `True exactly when result is ${resultNumber(row, row.success)} (${row.success}).`,
      },
      result: { ...enumNumbers(row.results, [...row.results.keys()]), description: resultTable(row) },
      validationStatus: { anyOf: [validationStatus, { type: "null" }] },
      externalMessage: { type: ["string", "null"], description: "Text for the operator." },
      data: data === null ? { type: "null" } : { anyOf: [data, { type: "null" }] },
    },
    if: { properties: { result: { const: resultNumber(row, row.success) } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { isResultSuccess: { const: true }, ...(data === null ? {} : { data }) } },
    else: { properties: { isResultSuccess: { const: false }, data: { type: "null" } } },
  };
}

/** Result numbers and names as Markdown, the success marked. */
export function resultTable(row: Operation): string {
  const lines = row.results.map(
    (name, number) => `| ${number} | ${name === row.success ? `**${name}** (success)` : name} |`,
  );
  return ["| Number | Result |", "|---|---|", ...lines].join("\n");
}
