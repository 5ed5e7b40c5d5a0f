import { complain, type Step, shown } from "../run.ts";
import type { StepNeeds } from "./step-needs.ts";

/** A table of the configuration: what is found there takes the value's place. `else` stands in for what is not. */
export function lookupStep(option: unknown, otherwise: unknown, { site, report }: StepNeeds): Step {
  const isTable = typeof option === "object" && option !== null && !Array.isArray(option);
  if (!isTable) report("must be a table: value of the source → value of the contract");
  const table = new Map<string, unknown>(isTable ? Object.entries(option) : []);
  const names = [...table.keys()];
  const known = names.slice(0, 10).join(", ") + (names.length > 10 ? ", …" : "");
  return (value, run) => {
    const key = typeof value === "string" ? value : String(value);
    // A table may hold null: then the member is left out on purpose.
    if (table.has(key)) return table.get(key) ?? undefined;
    if (otherwise !== undefined) return otherwise;
    return complain(site, run, `${shown(value)} is not in the lookup (${known}); add it there, or add else`);
  };
}
