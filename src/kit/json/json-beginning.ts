import { longNumberIn } from "./exact-number.ts";

/** Deeper values are cut: each level takes a part of the stack. */
const maxDepth = 500;

/**
 * Writes a value as JSON and stops at the limit: a value of many megabytes costs no more than the part that is kept.
 * Beyond `JSON.stringify` it writes big integers, which databases return.
 */
export function jsonBeginning(value: unknown, maxBytes: number): { readonly text: string; readonly isCut: boolean } {
  const parts: string[] = [];
  let left = maxBytes;
  let isDeep = false;
  const put = (text: string) => {
    parts.push(text);
    left -= Buffer.byteLength(text);
  };

  const write = (given: unknown, depth: number): void => {
    const value = plainOf(given);
    const scalar = scalarText(value, left);
    if (scalar !== undefined) put(scalar);
    else if (depth > maxDepth) {
      isDeep = true;
      left = 0;
    } else if (Array.isArray(value)) writeList(value, depth);
    else if (typeof value === "object" && value !== null) writeMembers(value, depth);
  };
  const writeList = (list: readonly unknown[], depth: number) => {
    put("[");
    for (let index = 0; index < list.length && left > 0; index++) {
      if (index > 0) put(",");
      write(list[index], depth + 1);
    }
    if (left > 0) put("]");
    else left = -1;
  };
  const writeMembers = (members: object, depth: number) => {
    put("{");
    let isFirst = true;
    for (const name in members) {
      if (left <= 0) break;
      if (!Object.hasOwn(members, name)) continue;
      const member: unknown = Reflect.get(members, name);
      if (member === undefined || typeof member === "function" || typeof member === "symbol") continue;
      put(`${isFirst ? "" : ","}${JSON.stringify(name)}:`);
      isFirst = false;
      if (left > 0) write(member, depth + 1);
    }
    if (left > 0) put("}");
    else left = -1;
  };

  write(value, 0);
  const isCut = left < 0 || isDeep;
  const text = parts.join("");
  return { text: isCut ? cutToBytes(text, maxBytes) : text, isCut };
}

const plainOf = (given: unknown): unknown =>
  typeof given === "object" && given !== null && "toJSON" in given && typeof given.toJSON === "function"
    ? given.toJSON()
    : given;

/** The text of a value without members; undefined for lists and objects. Of a text, no more than can be kept. */
function scalarText(value: unknown, maxLength: number): string | undefined {
  if (typeof value === "bigint") return String(value);
  if (typeof value === "string") return JSON.stringify(value.slice(0, maxLength + 1));
  return typeof value === "object" && value !== null ? longNumberIn(value) : (JSON.stringify(value) ?? "null");
}

/** The beginning of a text, without half a character at its end. */
export function cutToBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  // The last character may have been cut in two; its remainder is removed.
  return new TextDecoder().decode(bytes.subarray(0, maxBytes)).replace(/\uFFFD$/, "");
}
