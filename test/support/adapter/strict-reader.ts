import type { TSchema } from "typebox";
import { type Shape, shapeOf, typesOf } from "../../../src/contract/derive/component-registry.ts";

/** A number as it is written. What a client makes of it depends on the type that it expects. */
class Written {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

const int32 = { min: -(2n ** 31n), max: 2n ** 31n - 1n };
const int64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n };
const maxDecimal = 79_228_162_514_264_337_593_543_950_335n;
const firstMoment = Date.parse("0001-01-01T00:00:00Z");
const lastMoment = Date.parse("9999-12-31T23:59:59.999Z");

/**
 * Reads bytes like a strict .NET client: System.Text.Json into Int32, Int64, Decimal, DateTimeOffset and String. Throws
 * where that client would. Returns the value as JSON.parse gives it.
 */
export function readStrictly(bytes: Uint8Array, schema: TSchema): unknown {
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  // The third argument contains the text of the value. The compiler's library does not declare it yet.
  const parse = JSON.parse as (
    text: string,
    revive: (name: string, value: unknown, context: { readonly source?: string }) => unknown,
  ) => unknown;
  const value = parse(text, (_name, one, { source = "" }) => (typeof one === "number" ? new Written(source) : one));
  read(value, shapeOf(schema), "$");
  return JSON.parse(text);
}

function read(value: unknown, shape: Shape, place: string): void {
  const types = typesOf(shape);
  if (value === null) {
    if (typeof shape.type === "string") fail(place, "null");
  } else if (value instanceof Written) {
    if (types.includes("integer")) readInteger(value.source, shape.format === "int64" ? int64 : int32, place);
    else if (types.includes("number")) readDecimal(value.source, place);
    else fail(place, `a number where ${types.join()} belongs`);
  } else if (typeof value === "string") {
    if (!value.isWellFormed()) fail(place, "half of a character");
    if (!types.includes("string")) fail(place, `a text where ${types.join()} belongs`);
    if (shape.format === "date-time") readMoment(value, place);
  } else if (Array.isArray(value)) {
    if (!types.includes("array")) fail(place, "a list");
    for (const [index, element] of value.entries()) read(element, shape.items ?? anything, `${place}[${index}]`);
  } else if (typeof value === "object") {
    readMembers(value as Record<string, unknown>, shape, place);
  } else if (!types.includes("boolean")) fail(place, String(value));
}

function readMembers(members: Record<string, unknown>, shape: Shape, place: string): void {
  for (const name of shape.required ?? []) if (!Object.hasOwn(members, name)) fail(place, `no ${name}`);
  for (const [name, member] of Object.entries(members)) {
    if (!name.isWellFormed()) fail(place, "half of a character in a name");
    const own = shape.properties?.[name] ?? shape.additionalProperties;
    if (own !== undefined) read(member, own, `${place}.${name}`);
    else readUnknown(member, `${place}.${name}`);
  }
}

/** No member of the client's type matches this value, but the client's reader still checks its texts. */
function readUnknown(value: unknown, place: string): void {
  if (typeof value === "string" && !value.isWellFormed()) fail(place, "half of a character");
  if (typeof value !== "object" || value === null || value instanceof Written) return;
  for (const [name, member] of Object.entries(value)) readUnknown(member, `${place}.${name}`);
}

const anything: Shape = { type: ["object", "array", "string", "number", "boolean", "null"] };

function readInteger(source: string, { min, max }: { min: bigint; max: bigint }, place: string): void {
  if (!/^-?\d+$/.test(source)) fail(place, `${source} is no integer`);
  if (BigInt(source) < min || BigInt(source) > max) fail(place, `${source} is beyond the range`);
}

function readDecimal(source: string, place: string): void {
  const [, whole = "0", fraction = "", exponent = "0"] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? [];
  const shift = Number(exponent) - fraction.length;
  const digits = BigInt(whole + fraction);
  if (digits === 0n) return;
  if (shift > 40) fail(place, `${source} is beyond Decimal`);
  const size = shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift);
  if (size > maxDecimal) fail(place, `${source} is beyond Decimal`);
}

function readMoment(text: string, place: string): void {
  const [all, wall = "", sign = "+", hours = "0", minutes = "0"] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,7})?)?)(?:Z|([+-])(\d\d):(\d\d))$/.exec(text) ?? [];
  if (all === undefined) fail(place, `${text} is no moment`);
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -1 : 1);
  if (Math.abs(offset) > 14 * 60) fail(place, `${text} has an offset beyond 14 hours`);
  const utc = Date.parse(`${wall}Z`) - offset * 60_000;
  if (!(utc >= firstMoment && utc <= lastMoment)) fail(place, `${text} is beyond the years 1 to 9999`);
}

function fail(place: string, text: string): never {
  throw new Error(`${place}: ${text}`);
}
