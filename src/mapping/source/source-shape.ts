import type { TSchema } from "typebox";
import { mostMeant, namesMeant, nearestName } from "../../kit/nearest-name.ts";

/** The known shape of a record; null if anything is possible. */
export type SourceShape = KnownShape | null;

export interface KnownShape {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, SourceShape>>;
  readonly items?: SourceShape;
  readonly enum?: readonly unknown[];
  /** The shape was taken from sample records, not from the contract: other records may have more members. */
  readonly isSampled?: true;
}

/** A single value without members. */
export const leafShape: SourceShape = { type: "string" };

/** Every schema of the contract is plain JSON Schema, which its declared type hides. */
export const shapeOfSchema = (schema: TSchema | undefined): SourceShape => (schema ?? null) as SourceShape;

export const objectShape = (properties: Readonly<Record<string, SourceShape>>): SourceShape => ({
  type: "object",
  properties,
});

/** The shape of a list's elements, also through nested lists; any other shape is returned unchanged. */
export const elementShape = (shape: SourceShape): SourceShape =>
  shape?.items === undefined ? shape : elementShape(shape.items);

/** The shape of any member of a record, as `*` reads it; null if one of them may have any shape. */
export function memberShapes(shape: SourceShape): SourceShape {
  const { properties, isSampled } = elementShape(shape) ?? {};
  if (properties === undefined || isSampled === true) return null;
  return oneOf(Object.values(properties).map(elementShape));
}

/** The shape of a record or of anything below it, as `**` reads it; null if a part of it may have any shape. */
export function shapesBelow(shape: SourceShape): SourceShape {
  if (elementShape(shape)?.isSampled === true) return null;
  const all: SourceShape[] = [];
  const add = (given: SourceShape, depth: number): void => {
    const inside = elementShape(given);
    all.push(depth > maxDepth ? null : inside);
    if (depth <= maxDepth) for (const member of Object.values(inside?.properties ?? {})) add(member, depth + 1);
  };
  add(shape, 0);
  return oneOf(all);
}

/** A shape with the members of all given ones. A member that several of them have may have any shape. */
function oneOf(shapes: readonly SourceShape[]): SourceShape {
  const properties: Record<string, SourceShape> = {};
  for (const shape of shapes) {
    if (shape === null || (shape.properties === undefined && isOpen(shape))) return null;
    for (const [name, member] of Object.entries(shape.properties ?? {})) {
      properties[name] = Object.hasOwn(properties, name) && properties[name] !== member ? null : member;
    }
  }
  return Object.keys(properties).length === 0 ? leafShape : objectShape(properties);
}

/** Whether a value without known members may have some. */
function isOpen({ type }: KnownShape): boolean {
  const types = [type ?? []].flat();
  return types.length === 0 || types.includes("object") || types.includes("array");
}

export type Followed = { readonly shape: SourceShape } | { readonly problem: string };

/**
 * One step into a record that the contract describes, or that samples show. The problem text has no path; the caller
 * adds it.
 */
export function stepShape(shape: SourceShape, step: string | number): Followed {
  if (shape === null) return { shape: null };
  const types = [shape.type ?? []].flat();
  const where = shape.isSampled === true ? "in any record" : "in the contract";
  if (typeof step === "number") {
    if (shape.items !== undefined) return { shape: shape.items };
    if (Object.hasOwn(shape.properties ?? {}, step)) return { shape: shape.properties?.[step] ?? null };
    return types.includes("array") || types.length === 0 ? { shape: null } : { problem: `is not a list ${where}` };
  }
  // Samples with lists of one element have both: such a list is read like its element.
  if (shape.items !== undefined && shape.properties === undefined) {
    return {
      problem: "is a list: use each for all its elements, [0] for one of them, or an expression",
    };
  }
  const { properties } = shape;
  if (properties === undefined) {
    return isOpen(shape) ? { shape: null } : { problem: `is a single value and has no members ${where}` };
  }
  if (Object.hasOwn(properties, step)) return { shape: properties[step] ?? null };
  const who = shape.isSampled === true ? "no record" : "the contract";
  return { problem: `${who} has ${shape.isSampled === true ? "" : "no "}${step} here; ${suggestion(step, shape)}` };
}

/** A hint for an unknown name: similar, longer or deeper members; otherwise all members. */
function suggestion(typed: string, shape: KnownShape): string {
  const names = Object.keys(shape.properties ?? {});
  const alike = namesMeant(typed, names);
  const meant = alike.length > 0 ? alike : deeper(typed, shape, "", 0).slice(0, mostMeant);
  if (meant.length > 0) return `did you mean ${meant.join(" or ")}?`;
  return names.length > 0 ? `there are ${names.join(", ")}` : "there is nothing here yet";
}

const maxDepth = 6;

function deeper(typed: string, shape: SourceShape, before: string, depth: number): string[] {
  if (depth > maxDepth) return [];
  const list = shape?.items === undefined ? "" : "[]";
  const inside = elementShape(shape);
  return Object.entries(inside?.properties ?? {}).flatMap(([name, member]) => {
    const path = before === "" ? name : `${before}${list}.${name}`;
    const isMeant = depth > 0 && nearestName(typed, [name]) !== undefined;
    return isMeant ? [path] : deeper(typed, member, path, depth + 1);
  });
}
