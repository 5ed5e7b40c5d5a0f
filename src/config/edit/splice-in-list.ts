import { isDeepStrictEqual } from "node:util";
import { type Document, isNode, isSeq, stringify } from "yaml";
import { lineEndBehind, lineStartBefore, type Splice } from "./text-splice.ts";

/**
 * Changes the elements of a list that differ. Elements before and after them keep their lines and comments. Returns null
 * if the list is not written with one dash per line, or nothing would stay of it.
 */
export function spliceInList(
  text: string,
  document: Document,
  list: unknown,
  wanted: readonly unknown[],
): Splice | null {
  if (!isSeq(list) || list.flow === true) return null;
  const known = list.items.map((one) => (isNode(one) ? one.toJS(document) : one));
  const most = Math.min(known.length, wanted.length);
  let head = 0;
  while (head < most && isDeepStrictEqual(known[head], wanted[head])) head++;
  let tail = 0;
  while (tail < most - head && isDeepStrictEqual(known.at(-1 - tail), wanted.at(-1 - tail))) tail++;
  if (head + tail === 0) return null;
  const lines = list.items.map((one) => linesOf(text, one));
  const indent = lines[0]?.indent;
  if (indent === undefined || lines.some((one) => one?.indent !== indent)) return null;
  const added = wanted.slice(head, wanted.length - tail);
  const written = added.length === 0 ? "" : listLines(added, indent);
  const [before, first, last] = [lines[head - 1], lines[head], lines[known.length - tail - 1]];
  if (head === known.length - tail) {
    // Behind the element before it: a comment above the next one belongs to that.
    if (before != null) return { start: before.end, end: before.end, text: `\n${written}` };
    return first == null ? null : { start: first.start, end: first.start, text: `${written}\n` };
  }
  if (first == null || last == null) return null;
  return written === ""
    ? { start: first.start, end: Math.min(last.end + 1, text.length), text: "" }
    : { start: first.start, end: last.end, text: written };
}

const listLines = (values: readonly unknown[], indent: string): string =>
  stringify(values, { lineWidth: 0 })
    .trimEnd()
    .split("\n")
    .map((line) => (line === "" ? line : indent + line))
    .join("\n");

/** The lines of an element; null if something else than its dash stands before it. */
function linesOf(text: string, element: unknown) {
  const range = isNode(element) ? element.range : null;
  if (range == null) return null;
  const start = lineStartBefore(text, range[0]);
  const [, indent] = /^(\s*)-\s+$/.exec(text.slice(start, range[0])) ?? [];
  return indent === undefined ? null : { start, end: lineEndBehind(text, range[1]), indent };
}
