import { Type } from "typebox";
import { type OfferedId, operationIds } from "../../../src/contract/operations.ts";
import type { AnyOutcome } from "../../../src/operation/outcome.ts";
import type { ConnectorDefinition, OpenConnector } from "../../../src/sdk/connector.ts";

export type Script = (id: OfferedId, input: unknown) => AnyOutcome | Promise<AnyOutcome>;

/** An external system that does what a test tells it to, for every operation it offers. */
export function scriptedConnector(script: Script, offered: readonly string[] = operationIds): ConnectorDefinition {
  const operations = Object.fromEntries(
    offered.map((id) => [id, (input: unknown) => script(id as OfferedId, input)]),
    // The script answers any operation. The tests check whether its answers are handled properly.
  ) as OpenConnector["operations"];
  return {
    type: "scripted",
    summary: "Answers as the test says.",
    options: Type.Object({}),
    open: () => ({ operations, check: async () => {}, close: async () => {} }),
  };
}
