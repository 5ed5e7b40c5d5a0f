import { longNumberIn } from "../../kit/exact-number.ts";
import { sourcePath } from "../mapping/source-path.ts";
import { holds, type Where } from "../records/where.ts";
import type { SourceRecords } from "./source-records.ts";

/** The records of a JSON or XML file for which all conditions hold, each at its path in the record. */
export function recordsWhere(found: SourceRecords, where: Where | undefined): SourceRecords {
  if ("refusal" in found || where === undefined) return found;
  const conditions = Object.entries(where).map(([path, condition]) => ({
    steps: sourcePath(path)?.steps ?? [path],
    condition,
  }));
  const records = found.records.filter(({ value }) =>
    conditions.every(({ steps, condition }) => holds(condition, textAt(value, steps))),
  );
  const leftOut = found.records.length - records.length;
  return { ...found, records, notes: { leftOut, unusedColumns: [], dateByConvention: null } };
}

/** An element with attributes has its text beside them. */
function textAt(value: unknown, steps: readonly (string | number)[]): unknown {
  let found: unknown = value;
  for (const step of steps) {
    const isThere = typeof found === "object" && found !== null && Object.hasOwn(found, step);
    // It has this member, as just asked.
    found = isThere ? (found as Readonly<Record<string | number, unknown>>)[step] : undefined;
  }
  const isElement = typeof found === "object" && found !== null && Object.hasOwn(found, "#text");
  // It has this member, as just asked.
  return isElement ? (found as Readonly<Record<string, unknown>>)["#text"] : (longNumberIn(found) ?? found);
}
