import type { TSchema } from "typebox";

/** The JSON Schema keywords that readers of the configuration schema use. */
export interface ConfigShape {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, ConfigShape>>;
  readonly required?: readonly string[];
  readonly items?: ConfigShape;
  readonly anyOf?: readonly ConfigShape[];
  /** The members of a map, or whether an object may have further members. */
  readonly additionalProperties?: boolean | ConfigShape;
  readonly patternProperties?: Readonly<Record<string, ConfigShape>>;
  /** A path relative to the folder of the configuration file. */
  readonly relativeTo?: "configuration";
  /** If this sibling member is present, the path is on another machine. */
  readonly unlessSibling?: string;
  /** The path names a code file: a reload opens the connector again if the file has changed. */
  readonly reopenOnChange?: boolean;
}

// TSchema does not declare its JSON Schema keywords; they are those named above.
export const configShape = (schema: TSchema): ConfigShape => schema as unknown as ConfigShape;

/**
 * Fills in all defaults. Null counts as absent, as in `budgets:` with no lines below, except where null is one of the
 * values: a condition with `equals: null` would mean the opposite without it.
 */
export function withDefaults(shape: ConfigShape, value: unknown): unknown {
  if (value === null && mayBeNull(shape)) return null;
  const given = value ?? copyOf(shape.default);
  if (shape.items !== undefined && Array.isArray(given)) {
    const { items } = shape;
    return given.map((element) => withDefaults(items, element));
  }
  if (shape.properties === undefined || !isPlainObject(given)) return given;
  const filled: Record<string, unknown> = { ...given };
  for (const [name, member] of Object.entries(shape.properties)) {
    const filledMember = withDefaults(member, filled[name]);
    if (filledMember === undefined) delete filled[name];
    else filled[name] = filledMember;
  }
  return filled;
}

/** Copies plain data. A process may load hundreds of configurations, and `structuredClone` takes ten times as long. */
function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copyOf(member)]));
}

const mayBeNull = ({ type, anyOf = [] }: ConfigShape): boolean =>
  [type ?? []].flat().includes("null") || anyOf.some(mayBeNull);

export interface UnknownKey {
  readonly path: readonly (string | number)[];
  readonly allowed: readonly string[];
}

export function unknownKeys(given: ConfigShape, value: unknown, path: readonly (string | number)[] = []): UnknownKey[] {
  const shape = formOf(given, value);
  if (shape.items !== undefined && Array.isArray(value)) {
    const { items } = shape;
    return value.flatMap((element, index) => unknownKeys(items, element, [...path, index]));
  }
  if (!isPlainObject(value)) return [];
  const { properties } = shape;
  const ofMap = shapeOfMap(shape);
  if (properties === undefined) {
    // In a map everybody chooses the names; the objects in it may have further members unless they are closed.
    return ofMap === undefined
      ? []
      : Object.entries(value).flatMap(([name, member]) =>
          unknownKeys(ofMap, member, [...path, name]).filter(
            (unknown) => unknown.path.length > path.length + 2 || formOf(ofMap, member).additionalProperties === false,
          ),
        );
  }
  return Object.entries(value).flatMap(([name, member]) => {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (known === undefined) return [{ path: [...path, name], allowed: Object.keys(properties) }];
    return unknownKeys(known, member, [...path, name]);
  });
}

/** The one of several forms that a value was meant to have: the first of its type. */
function formOf(shape: ConfigShape, value: unknown): ConfigShape {
  const { anyOf, ...rest } = shape;
  if (anyOf === undefined) return shape;
  const type = Array.isArray(value) ? "array" : value === null ? "null" : typeof value;
  const form = anyOf.map((one) => formOf(one, value)).find((one) => [one.type ?? []].flat().includes(type));
  return form === undefined ? rest : { ...rest, ...form };
}

const shapeOfMap = ({ additionalProperties, patternProperties = {} }: ConfigShape): ConfigShape | undefined =>
  typeof additionalProperties === "object" ? additionalProperties : Object.values(patternProperties)[0];

export const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const shapeAt = (shape: ConfigShape, path: readonly (string | number)[]): ConfigShape | undefined =>
  path.reduce<ConfigShape | undefined>((at, step) => {
    if (at === undefined) return undefined;
    const form = formOf(at, typeof step === "number" ? [] : {});
    return typeof step === "number" ? form.items : (form.properties?.[step] ?? shapeOfMap(form));
  }, shape);

/** Removes `$schema`, which is only for editors. */
export function withoutSchema(value: unknown): unknown {
  if (!isPlainObject(value) || !Object.hasOwn(value, "$schema")) return value;
  const { $schema: _forEditors, ...rest } = value;
  return rest;
}

/** Removes the slash at the end: `/wms/` and `/wms` mean the same, and routes are appended to it. */
export function withoutEndSlash(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("basePath" in value)) return value;
  const { basePath } = value;
  const isPath = typeof basePath === "string" && basePath.startsWith("/");
  return isPath ? { ...value, basePath: basePath.replace(/\/+$/, "") } : value;
}
