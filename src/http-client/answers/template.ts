import { memberAt, parsedPath, readSteps } from "../../kit/json/member-path.ts";

export { memberAt, pathFlaw } from "../../kit/json/member-path.ts";

/** The values for placeholders. */
export type Scope = Readonly<Record<string, unknown>>;

/** A text with `{placeholders}`, parsed once. */
export interface Template {
  /** The path of each placeholder. */
  readonly names: readonly string[];
  /** Returns the filled text; undefined if none of its placeholders has a value. */
  readonly fill: (scope: Scope, encode?: (text: string) => string) => string | undefined;
  /** Returns the value itself if the text is a single placeholder, otherwise the filled text. */
  readonly value: (scope: Scope) => unknown;
}

interface Hole {
  readonly path: string;
  /**
   * Set inside single quotes, as in an OData filter: quotes in the value are doubled. Otherwise a code could end the
   * filter.
   */
  readonly isQuoted: boolean;
  /** Set for `{code:number}`, which is used in a filter without quotes: anything but digits could end the filter. */
  readonly isNumber: boolean;
}

/** Replaces a code that is not a number: no record has it, and it cannot break a filter. */
const noNumber = "-1";

// A quoted name may contain braces: {record["a}b"]}.
const holes = /\{\{|\}\}|\{((?:\["(?:[^"\\]|\\.)*"\]|[^{}])+)\}/g;

/** Parses `/orders/{code}`. `{{` and `}}` are literal braces; `{code:number}` accepts only digits. */
export function template(text: string): Template {
  const parts: (string | Hole)[] = [];
  let at = 0;
  for (const match of text.matchAll(holes)) {
    const [whole, path] = match;
    const before = text.slice(at, match.index);
    at = match.index + whole.length;
    if (path === undefined) parts.push(before, whole.slice(1));
    else {
      const [, name = "", kind] = /^(.*?)\s*(:\s*number\s*)?$/s.exec(path.trim()) ?? [];
      const isQuoted = before.endsWith("'") && text[at] === "'";
      parts.push(before, { path: name, isQuoted, isNumber: kind !== undefined });
    }
  }
  parts.push(text.slice(at));
  const wanted = parts.filter((part): part is Hole => typeof part !== "string");
  const [only] = wanted;
  const isOnlyOne = wanted.length === 1 && parts.every((part) => typeof part !== "string" || part === "");

  const fill: Template["fill"] = (scope, encode = plainly) => {
    let isFilled = wanted.length === 0;
    const texts = parts.map((part) => {
      if (typeof part === "string") return part;
      const found = textOf(scopeAt(scope, part.path));
      if (found !== "") isFilled = true;
      if (part.isNumber) return /^\d{1,18}$/.test(found.trim()) ? found.trim() : noNumber;
      return encode(part.isQuoted ? found.replaceAll("'", "''") : found);
    });
    return isFilled ? texts.join("") : undefined;
  };

  return {
    names: wanted.map(({ path }) => path),
    fill,
    value: (scope) =>
      isOnlyOne && only !== undefined && !only.isNumber ? scopeAt(scope, only.path) : (fill(scope) ?? ""),
  };
}

/** A JSON value whose texts are templates. Members without a value are left out. */
export interface ValueTemplate {
  readonly names: readonly string[];
  readonly fill: (scope: Scope) => unknown;
}

export function valueTemplate(given: unknown): ValueTemplate {
  if (typeof given === "string") {
    const { names, value } = template(given);
    return { names, fill: value };
  }
  if (Array.isArray(given)) {
    const elements = given.map(valueTemplate);
    return {
      names: elements.flatMap(({ names }) => names),
      // A placeholder without a value leaves no element, because few systems accept null in a list. A null that the
      // options contain stays.
      fill: (scope) =>
        elements.flatMap(({ fill, names }) => {
          const value = fill(scope);
          return names.length > 0 && (value === undefined || value === null) ? [] : [value];
        }),
    };
  }
  if (typeof given !== "object" || given === null) return { names: [], fill: () => given };
  const members = Object.entries(given).map(([name, value]) => [name, valueTemplate(value)] as const);
  return {
    names: members.flatMap(([, { names }]) => names),
    fill: (scope) => Object.fromEntries(members.map(([name, { fill }]) => [name, fill(scope)])),
  };
}

/**
 * Returns the placeholders in names of members. They are not filled, because two of them could become the same name.
 */
export function placeholdersInNames(given: unknown): string[] {
  if (Array.isArray(given)) return given.flatMap(placeholdersInNames);
  if (typeof given !== "object" || given === null) return [];
  return Object.entries(given).flatMap(([name, value]) => [
    ...(template(name).names.length > 0 ? [name] : []),
    ...placeholdersInNames(value),
  ]);
}

/** Finds a value in any letter case: the contract writes `Code` in one place and `code` in another. */
export function scopeAt(scope: Scope, path: string): unknown {
  const found = memberAt(scope, path);
  if (found !== undefined) return found;
  const parsed = parsedPath(path);
  const [first, ...rest] = parsed?.steps ?? [];
  if (parsed === null || parsed.climbs > 0 || typeof first !== "string" || parsed.quoted?.includes(0)) return undefined;
  const name = Object.keys(scope).find((candidate) => candidate.toLowerCase() === first.toLowerCase());
  const quoted = (parsed.quoted ?? []).map((index) => index - 1);
  return name === undefined ? undefined : readSteps(scope[name], { steps: rest, quoted });
}

const plainly = (text: string) => text;

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
