import type { TSchema } from "typebox";
import type { Operation } from "../../../contract/operation.ts";
import { pushRow } from "../../../contract/pushes.ts";
import { compileMapping, type Mapped } from "../../../mapping/compile-mapping.ts";
import { withProblems } from "../../../mapping/run.ts";
import type { DateSettings } from "../../../operation/dates.ts";

/** Maps a record of the external system to a record of the contract. */
export interface RecordMapper {
  readonly apply: (record: unknown) => Mapped | Promise<Mapped>;
  readonly sourceOf: (field: string) => string | undefined;
}

export interface MapperNeeds {
  readonly map: unknown;
  readonly target: TSchema | undefined;
  readonly dates: DateSettings;
}

/** Without field rules a record must already be in the contract's form. */
export function recordMapper({ map, target, dates }: MapperNeeds): RecordMapper {
  if (map === undefined) return { apply: (value) => ({ value, problems: [] }), sourceOf: (field) => field };
  return compileMapping(map, { dates, ...(target === undefined ? {} : { target }) });
}

/** All records, in order; a record that could not be mapped carries its problems. */
export async function mapRecords(mapper: RecordMapper, records: readonly unknown[]): Promise<unknown[]> {
  const made: unknown[] = [];
  for (const record of records) {
    const mapped = mapper.apply(record);
    made.push(withProblems(mapped instanceof Promise ? await mapped : mapped));
  }
  return made;
}

interface Served {
  readonly isList: boolean;
  readonly kind: "order" | "item" | "other";
  /** The result for one record. */
  readonly element: TSchema | undefined;
}

/** The target of the mapping. Orders and items take the form of pushes, which accepts dates and data as ERPs write them. */
export function servedSchema(row: Operation): Served {
  // TSchema hides its members; every schema of the contract is plain JSON Schema.
  const data = row.data as { type?: string; title?: string; items?: TSchema & { title?: string } } | undefined;
  const isList = data?.type === "array";
  const element = isList ? data.items : data;
  if (element?.title === "WorkOrder") return { isList, kind: "order", element: pushRow("workOrders").element };
  if (element?.title === "Item") return { isList, kind: "item", element: pushRow("items").element };
  return { isList, kind: "other", element: isList ? data.items : row.data };
}
