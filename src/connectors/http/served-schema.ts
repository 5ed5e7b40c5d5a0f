import type { TSchema } from "typebox";
import type { Operation } from "../../contract/operation.ts";
import { pushRow } from "../../contract/pushes.ts";

export interface Served {
  readonly isList: boolean;
  readonly kind: "order" | "item" | "other";
  /** What one record becomes. */
  readonly element: TSchema | undefined;
}

/** What a row serves. Orders and items are made in the form of pushes, which takes dates and data as ERPs write them. */
export function servedSchema(row: Operation): Served {
  // TSchema hides its own members; every schema of the contract is plain JSON Schema.
  const data = row.data as { type?: string; title?: string; items?: TSchema & { title?: string } } | undefined;
  const isList = data?.type === "array";
  const element = isList ? data.items : data;
  if (element?.title === "WorkOrder") return { isList, kind: "order", element: pushRow("workOrders").element };
  if (element?.title === "Item") return { isList, kind: "item", element: pushRow("items").element };
  return { isList, kind: "other", element: isList ? data.items : row.data };
}
