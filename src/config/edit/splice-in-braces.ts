import { isNode, isScalar, type Pair, Scalar, stringify, type YAMLMap } from "yaml";
import { lineEndBehind, lineStartBefore, type Splice } from "./text-splice.ts";

interface Member {
  readonly owner: YAMLMap;
  /** The member as it is written now; undefined if there is none yet. */
  readonly pair: Pair | undefined;
  readonly name: string;
  /** Undefined removes it. */
  readonly value: unknown;
}

/**
 * Changes a member of a section in braces, as JSON has it. The rest of the section keeps its order, its indentation and
 * its line breaks. Returns null if the place is written in a way that only a person can change without loss.
 */
export function spliceInBraces(text: string, { owner, pair, name, value }: Member): Splice | null {
  if (owner.range == null) return null;
  const style = styleOf(text, owner);
  if (owner.items.length === 0) {
    const [start, end] = owner.range;
    return text.slice(start, end) === "{}" ? { start, end, text: style.written({ [name]: value }) } : null;
  }
  if (value === undefined) return pair === undefined ? null : removed(text, owner, pair);
  if (pair !== undefined) {
    const [start, end] = rangeOf(pair.value) ?? [];
    return start === undefined || end === undefined ? null : { start, end, text: style.written(value) };
  }
  return added(text, owner, style.member(name, value), style);
}

const rangeOf = (node: unknown): readonly number[] | null => (isNode(node) ? (node.range ?? null) : null);

/** Behind the last member: in a line of its own where the others have one. */
function added(text: string, owner: YAMLMap, member: string, { indent, comma }: Style): Splice | null {
  const [, end] = rangeOf(owner.items.at(-1)?.value) ?? [];
  if (end === undefined) return null;
  if (indent === null) return { start: end, end, text: comma + member };
  // A comma that is there already, and a comment about the last member, stay in its line.
  const lineEnd = lineEndBehind(text, end);
  const [, blanks = "", comment] = /^(\s*),?(\s*(?:#.*)?)$/.exec(text.slice(end, lineEnd)) ?? [];
  if (comment === undefined) return null;
  return { start: end, end: lineEnd, text: `,${(blanks + comment).trimEnd()}\n${indent}${member}` };
}

function removed(text: string, owner: YAMLMap, pair: Pair): Splice | null {
  const at = owner.items.indexOf(pair);
  const [before, next] = [owner.items[at - 1], owner.items[at + 1]];
  const [ownerStart = 0, ownerEnd = 0] = rangeOf(owner) ?? [];
  const [start, end] =
    next !== undefined
      ? [rangeOf(pair.key)?.[0], rangeOf(next.key)?.[0]]
      : before !== undefined
        ? [rangeOf(before.value)?.[1], rangeOf(pair.value)?.[1]]
        : [ownerStart + 1, ownerEnd - 1];
  if (start === undefined || end === undefined) return null;
  // A comment in between may be about the member that stays.
  const isPlain = !text.slice(rangeOf(pair.value)?.[1] ?? start, end).includes("#");
  return isPlain && !text.slice(start, rangeOf(pair.key)?.[0]).includes("#") ? { start, end, text: "" } : null;
}

type Style = ReturnType<typeof styleOf>;

/** How the members of a section are written. */
function styleOf(text: string, { items: [first], range }: YAMLMap) {
  const braceAt = range?.[0] ?? 0;
  const key = first?.key;
  const keyAt = rangeOf(key)?.[0] ?? braceAt;
  const isJson = first === undefined || (isScalar(key) && key.type === Scalar.QUOTE_DOUBLE);
  const outer = indentAt(text, braceAt);
  const isInLines = first === undefined || text.slice(braceAt, keyAt).includes("\n");
  const indent = !isInLines ? null : first === undefined ? `${outer}  ` : indentAt(text, keyAt);
  const step = indent?.startsWith(outer) === true ? indent.slice(outer.length) : "  ";
  const isSpaced = isInLines || /^\s/.test(text.slice((rangeOf(key)?.[1] ?? 0) + 1));
  const inJson = (value: unknown, own: string): string => {
    const inLines = JSON.stringify(value, null, step || "  ");
    if (isInLines) return inLines.replaceAll("\n", `\n${own}`);
    return isSpaced ? inLines.replace(/\n\s*/g, " ") : JSON.stringify(value);
  };
  const inYaml = (name: string, value: unknown): string =>
    stringify({ [name]: value }, { collectionStyle: "flow", lineWidth: 0 })
      .trim()
      .slice(1, -1)
      .trim();
  return {
    /** The indentation of each member; null if they stand in one line. */
    indent,
    comma: isSpaced ? ", " : ",",
    written: (value: unknown): string =>
      isJson ? inJson(value, first === undefined ? outer : (indent ?? "")) : inYaml("k", value).slice("k: ".length),
    member: (name: string, value: unknown): string =>
      isJson ? `${JSON.stringify(name)}${isSpaced ? ": " : ":"}${inJson(value, indent ?? "")}` : inYaml(name, value),
  };
}

/** The blanks at the beginning of the line that a place is in. */
const indentAt = (text: string, place: number): string =>
  /^[ \t]*/.exec(text.slice(lineStartBefore(text, place), place))?.[0] ?? "";
