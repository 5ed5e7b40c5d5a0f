import type { Problem } from "../contract/validator.ts";

/**
 * Texts that hold half of a character, as those do that somebody cut by bytes. No strict client can read an order with
 * one, nor the list that it stands in.
 */
export function halfCharacters(value: unknown): Problem[] {
  const problems: Problem[] = [];
  walk(value, "", problems);
  return problems;
}

function walk(value: unknown, field: string, problems: Problem[]): void {
  if (typeof value === "string") {
    if (!value.isWellFormed()) problems.push({ field, expected: "lone-surrogate" });
  } else if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) walk(value[index], `${field}[${index}]`, problems);
  } else if (typeof value === "object" && value !== null) {
    for (const name in value) {
      // An object, as just asked; what its members are is looked at next.
      const member = (value as Record<string, unknown>)[name];
      if (!name.isWellFormed()) problems.push({ field, expected: "lone-surrogate" });
      // The place is made only for what may need it: most members are numbers.
      if (typeof member === "string" ? !member.isWellFormed() : typeof member === "object") {
        walk(member, field === "" ? name : `${field}.${name}`, problems);
      }
    }
  }
}
