import type { Problem } from "./problem.ts";

/**
 * Finds texts with half a surrogate pair, as after a cut by bytes. No strict client can read an order with one, nor the
 * list that contains the order.
 */
export function halfCharacters(value: unknown): Problem[] {
  const problems: Problem[] = [];
  // There is nearly always none, so this is checked first: building the paths of all members takes several times as
  // long.
  if (!isWellFormed(value)) walk(value, "", problems);
  return problems;
}

/** Checking this many values takes less than a millisecond. */
const valuesPerTurn = 2_000;

/** The same for a value with many texts. Other requests run in between. */
export async function halfCharactersInTurns(value: unknown, turn: () => Promise<void>): Promise<Problem[]> {
  const open: unknown[] = [value];
  for (let seen = 1; open.length > 0; seen++) {
    const one = open.pop();
    if (typeof one === "string") {
      if (!one.isWellFormed()) return halfCharacters(value);
    } else if (Array.isArray(one)) {
      for (const element of one) open.push(element);
    } else if (typeof one === "object" && one !== null) {
      for (const [name, member] of Object.entries(one)) {
        if (!name.isWellFormed()) return halfCharacters(value);
        open.push(member);
      }
    }
    if (seen % valuesPerTurn === 0) await turn();
  }
  return [];
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(isWellFormed);
  for (const name in value) {
    // An object, as just checked; its members are checked next.
    if (!name.isWellFormed() || !isWellFormed((value as Record<string, unknown>)[name])) return false;
  }
  return true;
}

function walk(value: unknown, field: string, problems: Problem[]): void {
  if (typeof value === "string") {
    if (!value.isWellFormed()) problems.push({ field, expected: "lone-surrogate" });
  } else if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) walk(value[index], `${field}[${index}]`, problems);
  } else if (typeof value === "object" && value !== null) {
    for (const name in value) {
      // An object, as just checked; its members are checked next.
      const member = (value as Record<string, unknown>)[name];
      if (!name.isWellFormed()) problems.push({ field, expected: "lone-surrogate" });
      // The path is built only if it may be needed, because most members are numbers.
      if (typeof member === "string" ? !member.isWellFormed() : typeof member === "object") {
        walk(member, field === "" ? name : `${field}.${name}`, problems);
      }
    }
  }
}
