import type { TSchema } from "typebox";
import { type Enumeration, enumerationOf } from "./enumerations.ts";

/** What a member of the result has to be, as far as a mapping can see to it. */
export type Kind = "text" | "date" | "whole" | "number" | "flag" | "list" | "object" | "any";

export interface Target {
  readonly kind: Kind;
  readonly enumeration?: Enumeration;
  /** Members of an object that lists them; further ones are refused. */
  readonly members?: Readonly<Record<string, Target>>;
  readonly required?: readonly string[];
  /** Of a list. */
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

/** What a schema of the contract asks for; of a list, what it asks of one element. */
export function targetOf(schema: TSchema | undefined): Target {
  if (schema === undefined) return anyTarget;
  // TSchema hides its own members; every schema of the contract is plain JSON Schema.
  const target = read(schema as unknown as Node);
  return target.kind === "list" ? (target.element ?? anyTarget) : target;
}

function read(node: Node): Target {
  const types = [node.type ?? []].flat().filter((type) => type !== "null");
  const [type] = types;
  if (types.length !== 1 || type === undefined) return anyTarget;
  const names = node["x-enumNames"];
  const enumeration = names === undefined ? undefined : enumerationOf(names);
  if (enumeration !== undefined) return { kind: "whole", enumeration };
  if (type === "array") return { kind: "list", ...(node.items === undefined ? {} : { element: read(node.items) }) };
  if (type === "object") {
    if (node.properties === undefined) return { kind: "object" };
    const members = Object.fromEntries(Object.entries(node.properties).map(([name, member]) => [name, read(member)]));
    return { kind: "object", members, required: node.required ?? [] };
  }
  return { kind: type === "string" && node.format === "date-time" ? "date" : (kinds[type] ?? "any") };
}
