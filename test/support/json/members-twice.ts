import fc from "fast-check";

/** A JSON document whose objects are lists of members, so that a name may be there twice. */
export type Document = number | string | readonly Document[] | { readonly members: readonly Member[] };
export type Member = readonly [name: string, value: Document];

export const memberName = fc.oneof(
  fc.constantFrom("a", "A", "b", "ä", "__proto__", 'q"', "\\", ""),
  fc.string({ maxLength: 3 }),
);

export const { document } = fc.letrec<{ document: Document }>((tie) => ({
  document: fc.oneof(
    { maxDepth: 4 },
    fc.integer(),
    fc.oneof(memberName, fc.constantFrom('{"a":1,"a":2}', "],:")),
    fc.array(tie("document"), { maxLength: 4 }),
    fc.array(fc.tuple(memberName, tie("document")), { maxLength: 4 }).map((members) => ({ members })),
  ),
}));

const isObject = (value: Document): value is { readonly members: readonly Member[] } =>
  typeof value === "object" && !Array.isArray(value);

const escaped = (text: string) =>
  Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`).join("");

/** The JSON text of a document. Every second name is written with escapes. */
export function written(value: Document): string {
  if (Array.isArray(value)) return `[ ${value.map(written).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = value.members.map(
    ([name, member], index) => `${index % 2 === 0 ? JSON.stringify(name) : `"${escaped(name)}"`} : ${written(member)}`,
  );
  return `{${members.join(" ,")}}`;
}

type Steps = readonly (string | number)[];

/** Where a name comes again in its object, found by a plain walk. */
export function placesTwice(value: Document, place: Steps = []): Steps[] {
  if (Array.isArray(value)) return value.flatMap((one: Document, index) => placesTwice(one, [...place, index]));
  if (!isObject(value)) return [];
  return value.members.flatMap(([name, member], index) => [
    ...(value.members.slice(0, index).some(([earlier]) => earlier === name) ? [[...place, name]] : []),
    ...placesTwice(member, [...place, name]),
  ]);
}

/** The value of a document without the members that are there twice. */
export function valueOnce(value: Document): unknown {
  if (Array.isArray(value)) return value.map(valueOnce);
  if (!isObject(value)) return value;
  const once = value.members.filter(([name]) => value.members.filter(([other]) => other === name).length === 1);
  return Object.fromEntries(once.map(([name, member]) => [name, valueOnce(member)]));
}
