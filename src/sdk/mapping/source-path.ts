/** A path into a source record, read from its text. */
export interface SourcePath {
  /** How many records to climb before the first step: `^.` is the record around the list. */
  readonly climbs: number;
  readonly steps: readonly (string | number)[];
  /** Which of them stand in quotes: names that nobody else has to know. */
  readonly quoted?: readonly number[];
}

const name = String.raw`([^.[\]"^=][^.[\]"]*)`;
const inBrackets = String.raw`\[(\d{1,9})\]|\["((?:[^"\\]|\\.)*)"\]`;
const firstStep = new RegExp(`${name}|${inBrackets}`, "y");
const nextStep = new RegExp(String.raw`\.${name}|${inBrackets}`, "y");

/** Reads `Customer.Name`, `lines[0].qty`, `["odd name"].x`, `^.DocNum`; `$` is the record itself. Null where it is no path. */
export function sourcePath(text: string): SourcePath | null {
  let rest = text.trim();
  let climbs = 0;
  while (rest.startsWith("^")) {
    climbs++;
    rest = rest.slice(rest[1] === "." ? 2 : 1);
  }
  if (rest === "$" || (rest === "" && climbs > 0)) return { climbs, steps: [] };
  const steps: (string | number)[] = [];
  const quotedSteps: number[] = [];
  let at = 0;
  while (at < rest.length) {
    const step = at === 0 ? firstStep : nextStep;
    step.lastIndex = at;
    const match = step.exec(rest);
    if (match === null) return null;
    const [, plain, index, quoted] = match;
    if (quoted !== undefined) quotedSteps.push(steps.length);
    if (index !== undefined) steps.push(Number(index));
    else steps.push(plain === undefined ? (quoted ?? "").replace(/\\(.)/g, "$1") : plain.trim());
    at = step.lastIndex;
  }
  if (steps.length === 0 || steps.includes("")) return null;
  return quotedSteps.length === 0 ? { climbs, steps } : { climbs, steps, quoted: quotedSteps };
}

/** As a person writes it. */
export const pathWritten = (steps: readonly (string | number)[]): string =>
  steps.reduce<string>((text, one) => {
    if (typeof one === "number") return `${text}[${one}]`;
    if (/[.[\]"\s^]/.test(one)) return `${text}[${JSON.stringify(one)}]`;
    return text === "" ? one : `${text}.${one}`;
  }, "");
