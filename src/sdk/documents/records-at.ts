import { sourcePath } from "../mapping/source-path.ts";
import { all, refusedBecause, type SourceRecords } from "./source-records.ts";

/** The records at a path of a JSON or XML document. One that stands alone is a list of one. */
export function recordsAt(document: unknown, path: string): SourceRecords {
  const steps = sourcePath(path)?.steps;
  if (steps === undefined) return refusedBecause(`\`records: ${path}\` is no path such as Orders.Order`);
  let found = document;
  for (const step of steps) {
    const isThere = typeof found === "object" && found !== null && Object.hasOwn(found, step);
    // It has this member, as just asked.
    found = isThere ? (found as Readonly<Record<string | number, unknown>>)[step] : undefined;
  }
  if (found === undefined) return refusedBecause(`there is nothing at ${path}; correct \`records\` or the file`);
  // An empty element or null is a list without records, as an empty array is.
  const elements = Array.isArray(found) ? found : found === null || found === "" ? [] : [found];
  return all(
    elements.map((value: unknown, index) => ({ row: index + 1, value })),
    true,
  );
}
