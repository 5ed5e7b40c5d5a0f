/**
 * A parsed path into a JSON value. Field rules, placeholders, conditions, pages and texts use the same language:
 * `Customer.Name`, `lines[0].qty`, `["odd.name"].x`; `$` is the value itself.
 */
export interface MemberPath {
  /**
   * How many records to go up before the first step: `^.` is the record that contains the list. Only used in field
   * rules.
   */
  readonly climbs: number;
  readonly steps: readonly (string | number)[];
  /** The indexes of quoted steps. Their names are used as written and are not checked against the contract. */
  readonly quoted?: readonly number[];
}

const name = String.raw`([^.[\]"^=][^.[\]"]*)`;
const inBrackets = String.raw`\[(\d{1,9})\]|\["((?:[^"\\]|\\.)*)"\]`;
const firstStep = new RegExp(`${name}|${inBrackets}`, "y");
const nextStep = new RegExp(String.raw`\.${name}|${inBrackets}`, "y");

/** Parses a path; null if the text is not a path. */
export function memberPath(text: string): MemberPath | null {
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
  // An empty name is a mistake unless it is quoted.
  if (steps.length === 0 || steps.some((step, index) => step === "" && !quotedSteps.includes(index))) return null;
  return quotedSteps.length === 0 ? { climbs, steps } : { climbs, steps, quoted: quotedSteps };
}

/** The path as a person writes it. */
export const pathWritten = (steps: readonly (string | number)[]): string =>
  steps.reduce<string>((text, one) => {
    if (typeof one === "number") return `${text}[${one}]`;
    if (one === "" || /[.[\]"\s^]/.test(one)) return `${text}[${JSON.stringify(one)}]`;
    return text === "" ? one : `${text}.${one}`;
  }, "");

/** Returns why a text cannot be used as a path; undefined if it can. */
export function pathFlaw(text: string): string | undefined {
  if (text === "") return undefined;
  if (text.trimStart().startsWith("=")) return `${JSON.stringify(text)} is an expression; only a path can stand here`;
  const path = memberPath(text);
  if (path === null) {
    return `${JSON.stringify(text)} is not a path; write status.code, errors[0].text or ["odd.name"].text`;
  }
  return path.climbs === 0 ? undefined : `${JSON.stringify(text)} leaves the record; ^ is only for field rules`;
}

/**
 * Follows the steps; undefined if there is nothing. If no shorter name exists, a member whose name contains dots, such
 * as `@odata.nextLink`, is also found by its whole name. A list of one element counts as the element.
 */
export function readSteps(value: unknown, { steps, quoted = [] }: Pick<MemberPath, "steps" | "quoted">): unknown {
  let found = value;
  for (let at = 0; at < steps.length; ) {
    const step = steps[at];
    if (typeof found !== "object" || found === null || step === undefined) return undefined;
    const isName = typeof step === "string" && !quoted.includes(at);
    if (Array.isArray(found) && (typeof step === "number" || (isName && /^\d{1,9}$/.test(step)))) {
      found = found[Number(step)];
      at++;
      continue;
    }
    if (typeof step === "number") {
      if (Array.isArray(found) || !Object.hasOwn(found, step)) return undefined;
      // An object with numbers as names, as just checked.
      found = (found as Record<number, unknown>)[step];
      at++;
      continue;
    }
    const holder: unknown = Array.isArray(found) ? (found.length === 1 ? found[0] : undefined) : found;
    if (typeof holder !== "object" || holder === null) return undefined;
    const taken = isName ? longName(holder, steps, quoted, at) : Object.hasOwn(holder, step) ? 1 : 0;
    if (taken === 0) return undefined;
    // An object that has this member, as just checked.
    found = (holder as Record<string, unknown>)[steps.slice(at, at + taken).join(".")];
    at += taken;
  }
  return found;
}

/** Returns how many steps the name of the first existing member takes: one, or more if its name contains dots. */
function longName(holder: object, steps: readonly (string | number)[], quoted: readonly number[], at: number): number {
  let whole = "";
  for (let end = at; end < steps.length; end++) {
    const step = steps[end];
    if (typeof step !== "string" || quoted.includes(end)) return 0;
    whole = end === at ? step : `${whole}.${step}`;
    if (Object.hasOwn(holder, whole)) return end - at + 1;
  }
  return 0;
}

/** Paths come from the configuration and the code, so there are few, and each is used often. */
const parsed = new Map<string, MemberPath | null>();
const mostParsed = 10_000;

export function parsedPath(text: string): MemberPath | null {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const path = memberPath(text);
  if (parsed.size >= mostParsed) parsed.clear();
  parsed.set(text, path);
  return path;
}

/** The value at a path of a JSON value; undefined if there is none. The empty path is the value itself. */
export function memberAt(value: unknown, path: string): unknown {
  if (path === "") return value;
  const found = parsedPath(path);
  return found === null || found.climbs > 0 ? undefined : readSteps(value, found);
}
