import type { TSchema } from "typebox";
import { RequestType } from "../enums.ts";
import type { OperationId } from "../operations.ts";

interface Shape {
  readonly properties?: Record<string, Shape>;
  readonly items?: Shape;
}

type Rename = (value: unknown) => unknown;

/**
 * Compiles a schema into a function that gives members their documented spelling, whatever their case. Unknown members
 * stay as they are. If nothing has to be renamed, the same value is returned, which tells the caller that nothing
 * changed. That is the usual case, because the platform uses the documented spelling.
 */
export function canonicalNames(schema: TSchema): Rename {
  return compile(schema as Shape) ?? ((value) => value);
}

function compile(shape: Shape): Rename | null {
  if (shape.items !== undefined) return compileList(compile(shape.items));
  if (shape.properties !== undefined) return compileObject(shape.properties);
  return null;
}

function compileList(renameElement: Rename | null): Rename | null {
  if (renameElement === null) return null;
  return (value) => {
    if (!Array.isArray(value)) return value;
    let copy: unknown[] | null = null;
    for (let i = 0; i < value.length; i++) {
      const element = renameElement(value[i]);
      if (element === value[i]) continue;
      copy ??= [...value];
      copy[i] = element;
    }
    return copy ?? value;
  };
}

function compileObject(properties: Record<string, Shape>): Rename {
  const documented = new Map(Object.keys(properties).map((name) => [name.toLowerCase(), name]));
  const nested = new Map<string, Rename>();
  for (const [name, shape] of Object.entries(properties)) {
    const rename = compile(shape);
    if (rename !== null) nested.set(name, rename);
  }

  const isRight = (object: Record<string, unknown>) => {
    for (const name in object) {
      if (!Object.hasOwn(properties, name) && documented.has(name.toLowerCase())) return false;
    }
    return true;
  };

  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    // The check above has left only objects that are not lists; their members may be anything.
    const original = value as Record<string, unknown>;
    let object = isRight(original) ? original : renamed(original, documented);
    for (const [name, rename] of nested) {
      if (!Object.hasOwn(object, name)) continue;
      const member = rename(object[name]);
      if (member === object[name]) continue;
      if (object === original) object = copied(original);
      object[name] = member;
    }
    return object;
  };
}

function copied(object: Record<string, unknown>): Record<string, unknown> {
  return Object.assign(Object.create(null), object);
}

function renamed(object: Record<string, unknown>, documented: ReadonlyMap<string, string>): Record<string, unknown> {
  // Null prototype: a member named __proto__ must stay a member and not become the prototype.
  const result: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(object)) {
    const rightName = documented.get(name.toLowerCase()) ?? name;
    // If both spellings were sent, the documented one wins and the other is kept as an unknown member.
    if (rightName !== name && Object.hasOwn(object, rightName)) result[name] = value;
    else result[rightName] = value;
  }
  return result;
}

/**
 * A placing step without any amount has the amount 0: clients that leave out zeros send it like this, and refusing it
 * would stop the floor. A picking step has an object for its amount, which no client leaves out; if it is missing, the
 * amount may have been sent under another name, and reading it as 0 would lose it.
 */
export function withPlacedNothing(id: OperationId, input: unknown): unknown {
  if (id !== "confirmStep" || typeof input !== "object" || input === null) return input;
  // An object, as just checked.
  const step = input as Readonly<Record<string, unknown>>;
  const {
    requestType,
    amountToConfirmPlacingInBaseUnitOfMeasure: placed,
    amountToConfirmPickingSummary: picked,
  } = step;
  if (requestType !== RequestType.PlaceItem || (placed ?? picked ?? null) !== null) return input;
  return { ...step, amountToConfirmPlacingInBaseUnitOfMeasure: 0 };
}
