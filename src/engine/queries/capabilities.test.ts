import { expect, test } from "vitest";
import { type OperationId, operationIds, operationRow } from "../../contract/operations.ts";
import { capabilities, capabilityNames } from "./routing.ts";

test("every query of the contract belongs to exactly one capability", () => {
  const own: readonly OperationId[] = capabilityNames.flatMap((name) => [...capabilities[name].queries]);
  const queries = operationIds.filter((id) => operationRow(id).kind === "query" && operationRow(id).budget !== "none");
  expect(own.toSorted()).toEqual(queries.toSorted());
});
