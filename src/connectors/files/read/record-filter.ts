import type { SourceRecord } from "../../../sdk/documents/source-records.ts";
import { Fault } from "../../../sdk/fault.ts";
import { ExpressionError, expression } from "../../../sdk/mapping/expression.ts";

/** Whether a record is wanted, by a JSONata expression such as `= Status = "open" and Qty > 0`; or why nobody can say. */
export function recordFilter(where: string): (record: SourceRecord) => Promise<boolean | { readonly reason: string }> {
  const { evaluate } = compiled(where.slice(1).trim());
  return async ({ row, value }) => {
    try {
      const found: unknown = await evaluate(value);
      // A member that is missing makes a comparison false; anything else than yes or no is a mistake in the expression.
      if (found === undefined || typeof found === "boolean") return found ?? false;
      return { reason: `record ${row}: \`where\` gives ${JSON.stringify(found)} instead of true or false` };
    } catch (error) {
      return { reason: `record ${row}: \`where\` failed: ${(error as Error).message}` };
    }
  };
}

function compiled(text: string) {
  try {
    return expression(text);
  } catch (error) {
    if (error instanceof ExpressionError) throw new Fault("invalid", `where: ${error.message}`, { cause: error });
    throw error;
  }
}
