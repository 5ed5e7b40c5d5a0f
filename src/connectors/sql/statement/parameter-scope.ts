import type { TSchema } from "typebox";
import type { Operation } from "../../../contract/operation.ts";
import { meantText } from "../../../kit/nearest-name.ts";

/** The shape of a parameter's value; `null` if it may be anything. */
type Shape = Plain | null;
interface Plain {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Plain>>;
  readonly items?: Plain;
}

/** The names a statement may use as parameters, and their shapes. */
export type Scope = ReadonlyMap<string, Shape>;

const leaf: Plain = { type: "string" };
export const anything: Shape = null;

/** Every member of the operation's input by its name, the whole body, and the values that the adapter adds. */
export function scopeOfOperation(row: Operation): Scope {
  const body = row.body === undefined ? undefined : plain(row.body);
  const inputs = [row.params, row.query].filter((schema) => schema !== undefined).map(plain);
  const scope = new Map<string, Shape>();
  for (const schema of [...inputs, ...(body === undefined ? [] : [body])]) {
    for (const [name, shape] of Object.entries(schema.properties ?? {})) scope.set(name, shape);
  }
  if (body !== undefined) scope.set("body", body);
  scope.set("language", leaf);
  if (row.kind === "event") for (const [name, shape] of delivered) scope.set(name, shape);
  return scope;
}

/** The values of the entry that is being delivered. */
const deliveryNames = ["entryId", "topic", "attempt", "replay", "receivedAt"] as const;

const delivered: readonly (readonly [string, Shape])[] = [
  ...deliveryNames.map((name) => [name, leaf] as const),
  // The order and the line that the event is about.
  ["order", anything],
  ["line", anything],
];

/** The scope of the adapter's own messages: derived events and receipts. */
export function scopeOfNotices(body?: TSchema): Scope {
  const members = body === undefined ? {} : (plain(body).properties ?? {});
  const whole = body === undefined ? anything : plain(body);
  return new Map<string, Shape>([...Object.entries(members), ["body", whole], ["language", leaf], ...delivered]);
}

export const scopeOfNames = (names: Iterable<string>): Scope => new Map([...names].map((name) => [name, leaf]));
export const joinedScope = (...scopes: readonly Scope[]): Scope => new Map(scopes.flatMap((scope) => [...scope]));

/**
 * The path in its documented spelling and its shape, or the problem. Only the path of a list may pass through lists.
 */
export function resolvePath(
  name: string,
  scope: Scope,
  goesThroughLists = false,
): { readonly path: readonly string[]; readonly shape: Shape } | { readonly problem: string } {
  const [first = "", ...rest] = name.split(".");
  const root = spelled(first, scope.keys());
  if (root === undefined) {
    return {
      problem: `${first}: unknown name; ${meantText(first, [...scope.keys()])}choose from ${listed(scope.keys())}`,
    };
  }
  let shape = scope.get(root) ?? null;
  const path = [root];
  for (const member of rest) {
    if (shape?.items !== undefined && !goesThroughLists) {
      return { problem: `${path.join(".")} is a list: use \`each\` to run the statement for each of its elements` };
    }
    const inside = elementOf(shape);
    const properties = inside?.properties;
    if (properties === undefined) {
      // A map with arbitrary keys, or data that the contract does not describe, may have any member. A text or number
      // has none.
      if (inside !== null && ![inside.type].flat().includes("object")) {
        return { problem: `${path.join(".")} has no members` };
      }
      path.push(member);
      shape = anything;
      continue;
    }
    const known = spelled(member, Object.keys(properties));
    if (known === undefined) {
      const where = path.join(".");
      const hint = meantText(member, Object.keys(properties));
      return {
        problem:
          `${where} has no member ${member}; ${hint}choose from ${listed(Object.keys(properties))}. ` +
          'Use `params` for a member that is not in the contract, in quotes: ["name"]',
      };
    }
    path.push(known);
    shape = properties[known] ?? anything;
  }
  return { path, shape };
}

/** The shape of a list's elements, through nested lists: `body.workOrder.requests` means the lines of all orders. */
export const elementOf = (shape: Shape): Shape => (shape?.items === undefined ? shape : elementOf(shape.items));

/** Whether there may be a list at or above this place; only `each` needs one. */
export const mayBeList = (shape: Shape): boolean => shape === null || shape.items !== undefined;

// Every schema of the contract is plain JSON Schema, which its declared type hides.
const plain = (schema: TSchema): Plain => schema as unknown as Plain;
const listed = (names: Iterable<string>) => [...names].join(", ");

function spelled(name: string, known: Iterable<string>): string | undefined {
  let inOtherCase: string | undefined;
  for (const candidate of known) {
    if (candidate === name) return candidate;
    if (candidate.toLowerCase() === name.toLowerCase()) inOtherCase ??= candidate;
  }
  return inOtherCase;
}

/** The value at a path; undefined if there is none. Own members only, never those of a prototype. */
export function readPath(value: unknown, path: readonly string[]): unknown {
  let current = value;
  for (const member of path) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, member)) return undefined;
    // An own member of an object, as checked above.
    current = (current as Record<string, unknown>)[member];
  }
  return current;
}

interface Element {
  readonly value: unknown;
  /** The object that contains the list: the element of the list above it, or the whole input. */
  readonly parent: unknown;
}

/** All elements at a path, passing through lists in order. */
export function readElements(value: unknown, path: readonly string[], parent: unknown = value): Element[] {
  if (Array.isArray(value))
    return value.flatMap((one: unknown) => readElements(one, path, path.length === 0 ? parent : one));
  if (path.length === 0) return value === undefined || value === null ? [] : [{ value, parent }];
  const [first = "", ...rest] = path;
  return readElements(readPath(value, [first]), rest, parent);
}
