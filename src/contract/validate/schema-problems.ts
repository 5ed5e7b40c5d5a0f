import type { TSchema } from "typebox";
import { longNumberIn } from "../../kit/json/exact-number.ts";
import { limits } from "../limits.ts";
import { confirmedMark, visiblePattern } from "../schemas/parts.ts";
import type { Expectation, Problem } from "./problem.ts";

/** An error as the schema library reports it. */
export interface SchemaError {
  readonly keyword: string;
  readonly schemaPath: string;
  readonly instancePath: string;
  readonly params: Record<string, unknown>;
}

const maxFoundLength = 60;

/** What is wrong with a value, in words of a person, from the errors of the library. */
export function schemaProblems(errors: readonly SchemaError[], asSent: unknown, schema: TSchema): Problem[] {
  const problems: Problem[] = [];
  const ofWrongType = new Set(
    errors
      .filter(({ keyword, schemaPath }) => keyword === "type" && !isOfChoice(schemaPath))
      .map(({ instancePath }) => instancePath),
  );
  // The library reports the errors of all choices of an `anyOf` before the error of the `anyOf` itself.
  let ofChoices: SchemaError[] = [];
  for (const error of errors) {
    if (isOfChoice(error.schemaPath)) {
      ofChoices.push(error);
      continue;
    }
    // A text in place of a number is also not an allowed number. One message is enough.
    if (error.keyword !== "type" && error.keyword !== "required" && ofWrongType.has(error.instancePath)) continue;
    // The library reports a bad value of a map at the value, which is enough, and again at the map.
    if (error.keyword === "additionalProperties") continue;
    if (error.keyword === "anyOf") {
      problems.push(...choiceProblems(error, ofChoices, asSent, schema));
      ofChoices = [];
      continue;
    }
    if (error.keyword === "required") {
      // The library gives errors of this keyword this parameter.
      for (const name of error.params["requiredProperties"] as string[]) {
        problems.push({ field: fieldName(`${error.instancePath}/${name}`), expected: "present" });
      }
      continue;
    }
    const { instancePath } = error;
    const current = valueAt(asSent, instancePath);
    const digits = error.keyword === "type" ? longNumberIn(current) : undefined;
    const expectation = digits === undefined ? expectationOf(error, schema) : expectedOfLong(digits, error, schema);
    problems.push({ field: fieldName(instancePath), ...expectation, ...found(current) });
  }
  return problems;
}

const isOfChoice = (schemaPath: string): boolean => schemaPath.includes("/anyOf/");

/**
 * The problems of a value that fits none of several schemas. If it has the type of one of them, those of that schema:
 * an object with a misspelt member was meant to be that object.
 */
function choiceProblems(
  { schemaPath, instancePath }: SchemaError,
  errors: readonly SchemaError[],
  asSent: unknown,
  schema: TSchema,
): Problem[] {
  const choices = new Map<string, SchemaError[]>();
  for (const error of errors) {
    const isInside = error.instancePath === instancePath || error.instancePath.startsWith(`${instancePath}/`);
    if (!isInside || !error.schemaPath.startsWith(`${schemaPath}/anyOf/`)) continue;
    const [choice = "", ...rest] = error.schemaPath.slice(schemaPath.length + "/anyOf/".length).split("/");
    const own = choices.get(choice) ?? [];
    own.push({ ...error, schemaPath: ["#", ...rest].join("/") });
    choices.set(choice, own);
  }
  const field = fieldName(instancePath);
  const all = [...choices.values()];
  const names = all.flat().map((error) => missingNames(error, instancePath));
  if (names.length > 0 && names.every((missing) => missing.length > 0)) {
    return [{ field, expected: "one-member-of", detail: [...new Set(names.flat())].join(", ") }];
  }
  const meant = all
    .filter((own) => !own.some((error) => error.keyword === "type" && error.instancePath === instancePath))
    .map((own) => schemaProblems(own, asSent, schema))
    .find((own) => own.length > 0 && !own.some((problem) => problem.detail === noChoice && problem.field === field));
  return meant ?? [{ field, expected: "valid", detail: noChoice, ...found(valueAt(asSent, instancePath)) }];
}

/** The detail of a problem where a value fits none of several schemas. */
export const noChoice = "anyOf";

/** The members without which an object is none of the choices: they are absent, or null. */
function missingNames({ keyword, params, instancePath }: SchemaError, owner: string): readonly string[] {
  if (keyword === "not" && parentPath(instancePath) === owner) return lastSegment(instancePath);
  // The library gives errors of this keyword this parameter.
  return keyword === "required" && instancePath === owner ? (params["requiredProperties"] as string[]) : [];
}

/** The members of a schema that are used here. Schemas of this room are plain JSON Schema. */
interface SchemaPart {
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, SchemaPart>>;
  readonly items?: SchemaPart;
  readonly [confirmedMark]?: boolean;
}

function partAt(schema: TSchema, instancePath: string): SchemaPart | undefined {
  // Schemas of this room are plain JSON Schema.
  let part: SchemaPart | undefined = schema as SchemaPart;
  for (const name of instancePath.split("/").slice(1)) part = part?.properties?.[name] ?? part?.items;
  return part;
}

/** Whether the value is an amount that the floor confirms: a negative one would take back an earlier confirmation. */
const isConfirmedAmount = (schema: TSchema, instancePath: string): boolean =>
  partAt(schema, instancePath)?.[confirmedMark] === true;

/** A number with more digits than a JavaScript number keeps is no number for the library, but it is one for a person. */
function expectedOfLong(digits: string, error: SchemaError, schema: TSchema): Pick<Problem, "expected" | "detail"> {
  const usual = expectationOf(error, schema);
  const {
    format,
    minimum = -Infinity,
    maximum = format === "int64" ? limits.id : Infinity,
  } = partAt(schema, error.instancePath) ?? {};
  if (Number(digits) > maximum) return { expected: "at-most", detail: String(maximum) };
  if (Number(digits) < minimum)
    return expectationOf({ ...error, keyword: "minimum", params: { limit: minimum } }, schema);
  return usual.expected === "number" ? { expected: "exact-number" } : usual;
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
  if (keyword === "pattern" && params["pattern"] === visiblePattern) return { expected: "visible-text" };
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

/** The value at a place, which is written as the library writes it. */
export function valueAt(value: unknown, instancePath: string): unknown {
  let current = value;
  for (const segment of segments(instancePath)) {
    if (typeof current !== "object" || current === null) return undefined;
    // An object, by the check above; its members may be anything.
    current = (current as Record<string, unknown>)[segment];
  }
  return current;
}

function found(current: unknown): Pick<Problem, "found"> {
  if (current === undefined) return {};
  // Cut before it is serialised, because it may be megabytes long.
  const start = typeof current === "string" ? current.slice(0, maxFoundLength + 1) : current;
  const written = JSON.stringify(start);
  return { found: written.length > maxFoundLength ? `${written.slice(0, maxFoundLength)}…` : written };
}
