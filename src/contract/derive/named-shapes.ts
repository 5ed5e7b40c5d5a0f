import type { Shape } from "./shape.ts";

/** Every object that has a title, found by walking from the roots, sorted by title. */
export function namedShapes(roots: readonly Shape[]): ReadonlyMap<string, Shape> {
  const found = new Map<string, Shape>();
  const walk = (shape: Shape): void => {
    if (shape.title !== undefined) found.set(shape.title, shape);
    for (const member of Object.values(shape.properties ?? {})) walk(member);
    if (shape.items !== undefined) walk(shape.items);
    if (shape.additionalProperties !== undefined) walk(shape.additionalProperties);
  };
  for (const root of roots) walk(root);
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}
