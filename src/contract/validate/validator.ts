import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { Settings } from "typebox/system";
import { confirmedMark } from "../schemas/parts.ts";
import { canonicalNames } from "./canonical-names.ts";

/** What a member should have been. Words for it, in the operator's language, are found by `expected`. */
export type Expectation =
  | "text"
  | "filled-text"
  | "whole-number"
  | "number"
  | "flag"
  | "date"
  | "list"
  | "filled-list"
  | "object"
  | "present"
  | "one-of"
  | "at-least"
  | "confirmed-amount"
  | "one-member-of"
  | "image"
  /** Another element with the same key says something else. */
  | "unique"
  /** The body could not be read at all: no JSON, nested too deep, a member given twice. */
  | "json"
  | "utf-8"
  | "depth"
  | "duplicate-member"
  /** Half of a letter that is written as two: strict readers refuse the whole text. */
  | "lone-surrogate"
  /** More than a limit of the contract allows; the detail is the limit. */
  | "members"
  | "elements"
  | "length"
  | "at-most"
  | "valid";

export interface Problem {
  /** Where, as a person writes it: `requests[0].itemNumber`; empty for the whole body. */
  readonly field: string;
  readonly expected: Expectation;
  /** The allowed values, the minimum or the member names, where the expectation has such. */
  readonly detail?: string;
  /** What was found, shortened. */
  readonly found?: string;
}

export interface Validator {
  /** Gives members their documented spelling, in place where possible. */
  readonly canonical: (value: unknown) => unknown;
  readonly isValid: (value: unknown) => boolean;
  /** All problems of an invalid value; slow, called only after isValid said no. */
  readonly problems: (value: unknown) => Problem[];
  /** How many problems there are, also where the list of them was cut; given that list, to find them once only. */
  readonly problemCount: (value: unknown, told: readonly Problem[]) => number;
}

interface SchemaError {
  readonly keyword: string;
  readonly schemaPath: string;
  readonly instancePath: string;
  readonly params: Record<string, unknown>;
}

const maxFoundLength = 60;

// The library stops at eight by default; a person mends all at once. The bound is for memory only: a value of
// nothing but errors must not fill it.
Settings.Set({ maxErrors: 10_000 });

/** Of a list, more than this are counted only: nobody reads them, and a body of nothing but errors has millions. */
const maxListProblems = 1_000;
const maxCountedInDetail = 10_000;

export function validator(schema: TSchema): Validator {
  const compiled = Compile(schema);
  const whole = {
    canonical: canonicalNames(schema),
    isValid: (value: unknown) => compiled.Check(value),
    // The errors of the library, with the members that are read here.
    problems: (value: unknown) => toProblems(compiled.Errors(value) as unknown as SchemaError[], value, schema),
  };
  // Only schemas of lists have these members.
  const { items } = schema as { items?: TSchema };
  if (items === undefined) return { ...whole, problemCount: (_value, told) => told.length };
  // Only schemas of lists have this member.
  const { maxItems = Infinity } = schema as { maxItems?: number };
  return { ...whole, ...listProblems(validator(items), maxItems, whole.problems) };
}

/** Element by element: the library would keep every error of the whole list before the first one can be told. */
function listProblems(
  element: Validator,
  maxItems: number,
  ofNoList: (value: unknown) => Problem[],
): Pick<Validator, "problems" | "problemCount"> {
  return {
    problems: (value) => {
      if (!Array.isArray(value)) return ofNoList(value);
      // Nothing more is said of it: looking at millions of elements takes seconds.
      if (value.length > maxItems) return [{ field: "", expected: "elements", detail: String(maxItems) }];
      const problems: Problem[] = [];
      for (let index = 0; index < value.length && problems.length < maxListProblems; index++) {
        if (element.isValid(value[index])) continue;
        for (const problem of element.problems(value[index])) {
          const field = problem.field === "" ? `[${index}]` : `[${index}].${problem.field}`;
          problems.push({ ...problem, field });
        }
      }
      return problems;
    },
    problemCount: (value, told) => {
      if (!Array.isArray(value) || value.length > maxItems) return told.length;
      let count = 0;
      for (const one of value) {
        if (element.isValid(one)) continue;
        count += count < maxCountedInDetail ? element.problemCount(one, element.problems(one)) : 1;
      }
      return count;
    },
  };
}

function toProblems(errors: readonly SchemaError[], value: unknown, schema: TSchema): Problem[] {
  const problems: Problem[] = [];
  const missingChoices = new Map<string, string[]>();
  const ofWrongType = new Set(
    errors.filter(({ keyword }) => keyword === "type").map(({ instancePath }) => instancePath),
  );
  for (const error of errors) {
    // A text where a number belongs is also none of the allowed numbers: one complaint is enough.
    if (error.keyword !== "type" && error.keyword !== "required" && ofWrongType.has(error.instancePath)) continue;
    // The library reports a bad value of a map twice: at the value, which says it all, and at the map.
    if (error.keyword === "additionalProperties") continue;
    if (error.schemaPath.includes("/anyOf/")) {
      // The library gives errors of this keyword this parameter.
      const names = (error.params["requiredProperties"] as string[] | undefined) ?? lastSegment(error.instancePath);
      const owner = error.keyword === "required" ? error.instancePath : parentPath(error.instancePath);
      missingChoices.set(owner, [...(missingChoices.get(owner) ?? []), ...names]);
      continue;
    }
    if (error.keyword === "required") {
      // The library gives errors of this keyword this parameter.
      for (const name of error.params["requiredProperties"] as string[]) {
        problems.push({ field: fieldName(`${error.instancePath}/${name}`), expected: "present" });
      }
      continue;
    }
    if (error.keyword === "anyOf") {
      const names = [...new Set(missingChoices.get(error.instancePath) ?? [])].join(", ");
      problems.push({ field: fieldName(error.instancePath), expected: "one-member-of", detail: names });
      continue;
    }
    problems.push({
      field: fieldName(error.instancePath),
      ...expectationOf(error, schema),
      ...found(value, error.instancePath),
    });
  }
  return problems;
}

/** What is looked at of a schema of this room, which is plain JSON Schema. */
interface SchemaPart {
  readonly properties?: Readonly<Record<string, SchemaPart>>;
  readonly items?: SchemaPart;
  readonly [confirmedMark]?: boolean;
}

/** Whether the value there is an amount that the floor confirms: a negative one is an attempt to take something back. */
function isConfirmedAmount(schema: TSchema, instancePath: string): boolean {
  let part: SchemaPart | undefined = schema as SchemaPart;
  for (const name of instancePath.split("/").slice(1)) part = part?.properties?.[name] ?? part?.items;
  return part?.[confirmedMark] === true;
}

function expectationOf(error: SchemaError, schema: TSchema): Pick<Problem, "expected" | "detail"> {
  const { keyword, params, instancePath } = error;
  if (keyword === "minimum" && isConfirmedAmount(schema, instancePath)) return { expected: "confirmed-amount" };
  if (keyword === "type") return { expected: typeExpectation(params["type"]) };
  if (keyword === "enum") {
    // The library gives errors of this keyword this parameter.
    const allowed = (params["allowedValues"] as unknown[]).filter((value) => value !== null);
    return { expected: "one-of", detail: allowed.join(", ") };
  }
  if (keyword === "minimum") return { expected: "at-least", detail: String(params["limit"]) };
  if (keyword === "maximum") return { expected: "at-most", detail: String(params["limit"]) };
  if (keyword === "maxLength") return { expected: "length", detail: String(params["limit"]) };
  if (keyword === "maxItems") return { expected: "elements", detail: String(params["limit"]) };
  if (keyword === "maxProperties") return { expected: "members", detail: String(params["limit"]) };
  if (keyword === "minLength") return { expected: "filled-text" };
  if (keyword === "minItems") return { expected: "filled-list" };
  if (keyword === "format") return { expected: "date" };
  return { expected: "valid", detail: keyword };
}

const expectationByType: Record<string, Expectation> = {
  string: "text",
  integer: "whole-number",
  number: "number",
  boolean: "flag",
  array: "list",
  object: "object",
};

function typeExpectation(type: unknown): Expectation {
  const name = Array.isArray(type) ? type.find((candidate) => candidate !== "null") : type;
  return expectationByType[String(name)] ?? "valid";
}

function segments(instancePath: string): string[] {
  return instancePath
    .split("/")
    .slice(1)
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

const lastSegment = (instancePath: string) => segments(instancePath).slice(-1);
const parentPath = (instancePath: string) => instancePath.slice(0, Math.max(0, instancePath.lastIndexOf("/")));

function fieldName(instancePath: string): string {
  return segments(instancePath).reduce(
    (name, segment) => (/^\d+$/.test(segment) ? `${name}[${segment}]` : name === "" ? segment : `${name}.${segment}`),
    "",
  );
}

function found(value: unknown, instancePath: string): Pick<Problem, "found"> {
  let current = value;
  for (const segment of segments(instancePath)) {
    if (typeof current !== "object" || current === null) return {};
    // An object, by the check above; its members may be anything.
    current = (current as Record<string, unknown>)[segment];
  }
  // Cut before it is written out: it may have megabytes.
  const start = typeof current === "string" ? current.slice(0, maxFoundLength + 1) : current;
  const written = JSON.stringify(start) ?? "undefined";
  return { found: written.length > maxFoundLength ? `${written.slice(0, maxFoundLength)}…` : written };
}
