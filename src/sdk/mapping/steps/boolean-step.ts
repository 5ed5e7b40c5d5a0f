import { complain, type Step, shown } from "../run.ts";
import type { StepNeeds } from "./step-needs.ts";

const usualWords = {
  true: ["true", "1", "yes", "y", "x", "ja", "j", "oui", "si", "sì", "sí", "tak", "t", "on", "-1"],
  false: ["false", "0", "no", "n", "nein", "non", "nee", "nie", "f", "off"],
};

/** `true` knows the usual words; `{ true: [J], false: [N] }` knows these and no others. Case does not count. */
export function booleanStep(option: unknown, { site, report }: StepNeeds): Step {
  const words = option === true ? usualWords : option;
  const table = new Map<string, boolean>();
  for (const flag of [true, false]) {
    const list =
      // An object, as just asked; its lists are checked next.
      typeof words === "object" && words !== null ? (words as Record<string, unknown>)[String(flag)] : undefined;
    if (list === undefined) report("write true, or { true: [words], false: [words] }");
    for (const word of [list ?? []].flat()) table.set(String(word).toLowerCase(), flag);
  }
  return (value, run) => {
    if (typeof value === "boolean") return value;
    const found = table.get(String(value).trim().toLowerCase());
    return found ?? complain(site, run, `${shown(value)} is neither a word for true nor for false; add it to boolean`);
  };
}
