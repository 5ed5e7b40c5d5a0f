import type { TSchema } from "typebox";
import { FileType, RequestType, UnitOfMeasure, WorkOrderStatus } from "../contract/enums.ts";
import { foldName, requestTypeNames, unitNames } from "../formats/fields/enum-names.ts";
import { isMeasure } from "../operation/normalise-work-order.ts";

/** What a member of the result must be, as far as a mapping can ensure it. */
export type Kind = "text" | "date" | "whole" | "number" | "flag" | "list" | "object" | "any";

export interface Target {
  readonly kind: Kind;
  readonly enumeration?: Enumeration;
  /** A measure, such as a weight, may become the nearest number. An amount may not. */
  readonly isMeasure?: true;
  /** Members of an object that lists them; others are refused. */
  readonly members?: Readonly<Record<string, Target>>;
  readonly required?: readonly string[];
  /** For a list: its elements. */
  readonly element?: Target;
}

interface Node {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly items?: Node;
  readonly "x-enumNames"?: readonly string[];
}

const kinds: Readonly<Record<string, Kind>> = {
  string: "text",
  integer: "whole",
  number: "number",
  boolean: "flag",
  array: "list",
  object: "object",
};

export const anyTarget: Target = { kind: "any" };

/** The target of a schema of the contract; for a list, that of one element. */
export function targetOf(schema: TSchema | undefined): Target {
  if (schema === undefined) return anyTarget;
  // TSchema hides its members; every schema of the contract is plain JSON Schema.
  const target = read(schema as unknown as Node);
  return target.kind === "list" ? (target.element ?? anyTarget) : target;
}

function read(node: Node, name = ""): Target {
  const types = [node.type ?? []].flat().filter((type) => type !== "null");
  const [type] = types;
  if (types.length !== 1 || type === undefined) return anyTarget;
  const names = node["x-enumNames"];
  const enumeration = names === undefined ? undefined : enumerationOf(names);
  if (enumeration !== undefined) return { kind: "whole", enumeration };
  if (type === "array") return { kind: "list", ...(node.items === undefined ? {} : { element: read(node.items) }) };
  if (type === "object") {
    if (node.properties === undefined) return { kind: "object" };
    const members = Object.fromEntries(
      Object.entries(node.properties).map(([own, member]) => [own, read(member, own)]),
    );
    return { kind: "object", members, required: node.required ?? [] };
  }
  if (type === "number" && isMeasure(name)) return { kind: "number", isMeasure: true };
  return { kind: type === "string" && node.format === "date-time" ? "date" : (kinds[type] ?? "any") };
}

/** An enumeration of the contract, and the accepted spellings of its values. */
interface Enumeration {
  readonly names: readonly string[];
  readonly numberOf: (value: unknown) => number | undefined;
}

const byFoldedName = (numbers: Readonly<Record<string, number>>): ReadonlyMap<string, number> =>
  new Map(
    Object.entries(numbers).flatMap(([name, number]) => [name, String(number)].map((one) => [foldName(one), number])),
  );

function enumeration(numbers: Readonly<Record<string, number>>, words: ReadonlyMap<string, number>): Enumeration {
  const known = new Set(Object.values(numbers));
  // Cached: an ERP has only a few units, and folding each of them for every line costs more than the rest of the line.
  const remembered = new Map<string, number | undefined>();
  const numberOfText = (text: string) => {
    if (remembered.has(text)) return remembered.get(text);
    const number = words.get(foldName(text));
    if (remembered.size >= maxRemembered) remembered.clear();
    remembered.set(text, number);
    return number;
  };
  return {
    names: Object.keys(numbers),
    numberOf: (value) => {
      if (typeof value === "number") return known.has(value) ? value : undefined;
      return typeof value === "string" ? numberOfText(value) : undefined;
    },
  };
}

const maxRemembered = 1_000;

/** By the name used in a rule, such as `enum: UnitOfMeasure`. */
export const enumerations: Readonly<Record<string, Enumeration>> = {
  UnitOfMeasure: enumeration(UnitOfMeasure, unitNames),
  RequestType: enumeration(RequestType, requestTypeNames),
  WorkOrderStatus: enumeration(WorkOrderStatus, byFoldedName(WorkOrderStatus)),
  FileType: enumeration(FileType, byFoldedName(FileType)),
};

/** The enumeration whose names a schema lists. */
const enumerationOf = (names: readonly string[]): Enumeration | undefined =>
  Object.values(enumerations).find((one) => one.names.join() === names.join());
