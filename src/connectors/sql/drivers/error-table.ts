import type { SqlProblem } from "./sql-problem.ts";

/** Kind → code of the database → its name in the vendor's documentation. */
export type ErrorTable = { readonly [Kind in SqlProblem["kind"]]?: Readonly<Record<string, string>> };

/** Finds the kind of a code. A code that stands in no table is unknown, and so a refusal of this one event. */
export function kindFinder(table: ErrorTable): (code: string) => SqlProblem["kind"] | undefined {
  const kinds = new Map<string, SqlProblem["kind"]>();
  for (const [kind, codes] of Object.entries(table)) {
    // The keys are those of the table's type, which Object.entries forgets.
    for (const code of Object.keys(codes)) kinds.set(code, kind as SqlProblem["kind"]);
  }
  return (code) => kinds.get(code);
}
