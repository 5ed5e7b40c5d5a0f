import { type OperationId, operationIds, operationRow } from "../../contract/operations.ts";
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

interface Place {
  readonly row: FoundRow["row"];
  readonly method: string;
  readonly path: string;
  readonly prefix: string;
  readonly hasValue: boolean;
}

const placeOf = (row: FoundRow["row"], method: string, path: string): Place => {
  const at = path.indexOf("{");
  const prefix = (at < 0 ? path : path.slice(0, at)).toLowerCase();
  return { row, method, path, prefix, hasValue: at >= 0 };
};

/** Which row of the tables an address is of; null for everything else, such as administration. */
export function rowFinder(basePath: string): (method: string, url: string) => FoundRow | null {
  const places = [
    ...operationIds.map((operation) =>
      placeOf({ operation }, operationRow(operation).method, operationRow(operation).path),
    ),
    ...pushTopics.map((push) => placeOf({ push }, "POST", pushRow(push).path)),
    // An image is no item with a slash in its number: the longest that fits wins.
  ].toSorted((a, b) => b.prefix.length - a.prefix.length);
  const base = basePath.replace(/\/+$/, "").toLowerCase();
  return (method, url) => {
    const [address = "", rawQuery = ""] = splitOnce(url, "?");
    if (!address.toLowerCase().startsWith(base)) return null;
    const rest = address.slice(base.length).replace(/(?<=.)\/$/, "");
    const lower = rest.toLowerCase();
    const place = places.find(
      (one) =>
        one.method === method &&
        (one.hasValue ? lower.length > one.prefix.length && lower.startsWith(one.prefix) : lower === one.prefix),
    );
    if (place === undefined) return null;
    const { row, path, prefix, hasValue } = place;
    return { row, path, rawValue: hasValue ? rest.slice(prefix.length) : null, rawQuery };
  };
}

function splitOnce(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}
