import { elementShape, memberShapes, type SourceShape, stepShape } from "../source/source-shape.ts";

type ShapesOf = (value: SourceShape) => readonly SourceShape[];

const ofEach: ShapesOf = (list) => [elementShape(list), null, list];
const ofEachMember: ShapesOf = (record) => [memberShapes(record), null, record];

/** The functions of JSONata that call another function: the shapes of its parameters, from their first argument. */
const parameters: ReadonlyMap<unknown, ShapesOf> = new Map([
  ["map", ofEach],
  ["filter", ofEach],
  ["single", ofEach],
  ["sort", (list: SourceShape) => [elementShape(list), elementShape(list)]],
  // The first parameter is what the function returned before.
  ["reduce", (list: SourceShape) => [null, elementShape(list), null, list]],
  ["each", ofEachMember],
  ["sift", ofEachMember],
]);

/** Functions that return their first argument, or some of it. */
const selecting: ReadonlySet<unknown> = new Set("filter single sort sift reverse distinct shuffle".split(" "));
/** Functions that return what the function they call has returned. */
const transforming: ReadonlySet<unknown> = new Set(["map", "each"]);

/** The shapes of the parameters of the function that JSONata's function `name` calls; empty if they are not known. */
export const parameterShapes = (name: unknown, first: SourceShape): readonly SourceShape[] =>
  parameters.get(name)?.(first) ?? [];

/** The shape of what JSONata's function `name` returns. */
export function returnedShape(name: unknown, first: SourceShape, called: SourceShape): SourceShape {
  if (selecting.has(name)) return first;
  return transforming.has(name) ? called : null;
}

/** The shape of `$lookup(record, "member")`, which may read a member that the contract does not define. */
export function lookedUpShape(record: SourceShape, member: unknown): SourceShape {
  const step = typeof member === "string" ? stepShape(elementShape(record), member) : { shape: null };
  return "shape" in step ? step.shape : null;
}
