import { type Envelope, resultNumber } from "../envelope.ts";
import { type OperationId, operationRow } from "../operations.ts";
import type { JsonObject } from "./component-registry.ts";
import { dataSample } from "./samples.ts";

/** One example answer per result the row can give, by result name; success first, as readers show the first one. */
export function envelopeExamples(id: OperationId): JsonObject {
  const row = operationRow(id);
  if (row.results.length === 0) return { version: { value: dataSample(id) } };
  return Object.fromEntries(
    [row.success, ...row.results.filter((result) => result !== row.success)].map((result) => {
      const isResultSuccess = result === row.success;
      const value: Envelope = {
        isResultSuccess,
        result: resultNumber(row, result),
        validationStatus:
          result === "InvalidInput"
            ? { errorMessages: ["workOrderNumber: is missing"], isValid: false, errorCount: 1 }
            : null,
        externalMessage:
          isResultSuccess || result === "InvalidInput" ? null : "What the operator should know and do next.",
        data: isResultSuccess ? dataSample(id) : null,
      };
      return [result, { value }];
    }),
  );
}
