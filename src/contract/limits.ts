import type { TSchema } from "typebox";
import type { JsonLimits } from "../kit/json/scan-json.ts";

/**
 * The limits of everything that is received or served, defined once: schemas are built with them, OpenAPI and the
 * reference show them, and input beyond a limit is invalid input that names the limit.
 */
export const limits = {
  /** Order, item, container, code, location, storage, lot, external ids. */
  identifierLength: 256,
  /** Names, descriptions and other texts. */
  textLength: 4_000,
  /** Customer-specific data, a JSON string. */
  externalDataLength: 65_536,
  /** External data in an export, which stores nothing: one long text must not make the whole export fail. */
  exportedDataLength: 1_048_576,
  /** The value by which the external system indexes an order. */
  indexableValueLength: 1_000,
  /** A longer key is data, and it would be stored with every event and push. */
  idempotencyKeyLength: 255,
  /** Base64 of a pushed product image: about 10 MiB of bytes. */
  imageLength: 14_000_000,
  /** Members of one object, known and unknown ones. */
  members: 1_000,
  depth: 64,
  linesPerOrder: 10_000,
  namesPerItem: 1_000,
  containersPerPick: 1_000,
  /** Lists that the contract does not define. */
  unknownElements: 10_000,
  containersPerRelocation: 1_000,
  ordersPerReport: 10_000,
  itemsPerReport: 10_000,
  /** The whole body of an event or a small query, in MiB. A smaller `bodyLimitMiB` takes precedence. */
  smallBodyMiB: 8,
  rowsPerExport: 1_000_000,
  elementsPerPush: 1_000_000,
  /**
   * Bad elements of one push whose good elements are stored. With more, nothing is stored, and further errors are only
   * counted.
   */
  badElementsPerPush: 10_000,
  /** Whole numbers, because strict clients read 32 bits. */
  integer: 2_147_483_647,
  /** Ids of the platform, which may have 64 bits. */
  id: 9_223_372_036_854_775_807n,
  /** Other amounts. Sums of a few stay exact, and strict clients read them as decimals. */
  amount: 1_000_000_000_000_000,
} as const;

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly additionalProperties?: Shape;
  readonly maxItems?: number;
  readonly maxProperties?: number;
}

/**
 * The limits that are checked before a body is parsed. Lists of the schema have the widest limit of the schema, unknown
 * lists the general one.
 */
export function jsonLimitsOf(schema: TSchema | undefined): JsonLimits {
  const maps = new Set<string>();
  let members: number = limits.members;
  let elements: number = limits.unknownElements;
  const walk = (shape: Shape, name: string) => {
    if (shape.additionalProperties !== undefined) maps.add(name.toLowerCase());
    members = Math.max(members, shape.maxProperties ?? 0);
    elements = Math.max(elements, shape.maxItems ?? 0);
    for (const [member, inner] of Object.entries(shape.properties ?? {})) walk(inner, member);
    if (shape.items !== undefined) walk(shape.items, name);
    if (shape.additionalProperties !== undefined) walk(shape.additionalProperties, "");
  };
  // Schemas of this room are plain JSON Schema with these keywords, among others.
  if (schema !== undefined) walk(schema as Shape, "");
  const { depth, identifierLength: nameLength } = limits;
  return { depth, members, elements, nameLength, ...(maps.size === 0 ? {} : { maps }) };
}
