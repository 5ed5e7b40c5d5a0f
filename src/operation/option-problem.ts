import type { QueryId } from "../contract/operations.ts";

/** A mistake in a connector's options that its schema cannot express. */
export interface OptionProblem {
  /** The place in the options: `operations.getItem.map.name`, or its steps as a list. */
  readonly path: string | readonly (string | number)[];
  readonly text: string;
  readonly hint?: string;
}

/** Per query about one thing: the inputs that say which one it is. */
const keyInputs: Readonly<Partial<Record<QueryId, readonly string[]>>> = {
  findWorkOrderByCode: ["Code"],
  findPutWallOrders: ["code"],
  getItem: ["number"],
  getItemImage: ["number"],
  getReport: ["workOrdersNumbers", "storageId", "remainingRequests", "body"],
  getExportValues: ["body"],
};

/**
 * The problem of a query whose request does not depend on what is asked for: every scan would get the same order.
 * `names` are the inputs that the request uses, in any letter case; `example` writes one as the request would.
 */
export function unusedInput(
  id: QueryId,
  names: Iterable<string>,
  example: (name: string) => string,
): Pick<OptionProblem, "text" | "hint"> | undefined {
  const keys = keyInputs[id];
  const [first] = keys ?? [];
  const used = new Set([...names].map((name) => name.toLowerCase()));
  if (keys === undefined || first === undefined || keys.some((key) => used.has(key.toLowerCase()))) return undefined;
  return {
    text: `the request does not use ${example(first)}, so it would get the same answer whatever is asked for`,
    hint: `Put ${example(first)} into it.`,
  };
}
