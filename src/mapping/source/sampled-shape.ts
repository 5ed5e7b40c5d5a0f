import type { SourceShape } from "./source-shape.ts";

/**
 * The shape of sample records: every name that at least one of them has. A member that is null in all of them may be
 * anything, and so may the elements of a list that is empty in all of them.
 */
export function sampledShape(records: readonly unknown[]): SourceShape {
  const values = records.filter((value) => value !== null && value !== undefined);
  if (values.length === 0) return null;
  const lists = values.filter((value) => Array.isArray(value));
  const objects = values.filter(isPlainObject);
  if (lists.length > 0) {
    // Some systems send a single child as an object, several as a list. A mapping reads both.
    const items = sampledShape([...lists.flat(), ...objects]);
    if (items === null) return null;
    // A list of one element is read like the element, so it has its members.
    const isSingle = objects.length > 0 || lists.some(({ length }) => length <= 1);
    const members = isSingle && items.properties !== undefined ? { properties: items.properties } : {};
    return { type: "array", items, ...members, isSampled: true };
  }
  if (objects.length === 0) return { type: "string", isSampled: true };
  const names = new Set(objects.flatMap((one) => Object.keys(one)));
  const properties: Record<string, SourceShape> = {};
  for (const name of names) {
    const member = sampledShape(objects.map((one) => (Object.hasOwn(one, name) ? one[name] : undefined)));
    // Sets it as an ordinary member, whatever its name is.
    Object.defineProperty(properties, name, { value: member, enumerable: true });
  }
  return { type: "object", properties, isSampled: true };
}

/** Dates and bytes of a database are values, too. */
function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
