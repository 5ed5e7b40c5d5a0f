import { routeMatcher } from "../../contract/derive/match-route.ts";
import { type OperationId, operationRow } from "../../contract/operations.ts";
import { type PushTopic, pushRow, pushTopics } from "../../contract/pushes.ts";

export interface FoundRow {
  readonly row: { readonly operation: OperationId } | { readonly push: PushTopic };
  /** The path as it is documented, with the place of its value. */
  readonly path: string;
  /** What stands in that place, still encoded. */
  readonly rawValue: string | null;
  /** Still encoded. */
  readonly rawQuery: string;
}

/** Which row of the tables an address is of; null for everything else, such as administration. */
export function rowFinder(basePath: string): (method: string, url: string) => FoundRow | null {
  const match = routeMatcher(basePath);
  const base = basePath.replace(/\/+$/, "").toLowerCase();
  const pushByPath = new Map(pushTopics.map((topic) => [base + pushRow(topic).path, topic]));
  return (method, url) => {
    const found = match(method, url);
    if (found !== null && "id" in found) {
      const { id: operation, rawValue, rawQuery } = found;
      return { row: { operation }, path: operationRow(operation).path, rawValue, rawQuery };
    }
    const [address = "", rawQuery = ""] = url.split("?", 2);
    const push = pushByPath.get(address.toLowerCase().replace(/\/$/, ""));
    if (push === undefined || method !== "POST") return null;
    return { row: { push }, path: pushRow(push).path, rawValue: null, rawQuery };
  };
}
