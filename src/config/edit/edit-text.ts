import { isDeepStrictEqual } from "node:util";
import { type Document, isMap, isNode, isScalar, type Pair, stringify, type YAMLMap } from "yaml";
import { type ConfigPath, pathText } from "../document/config-error.ts";
import { parseYaml } from "../document/parse-yaml.ts";
import { spliceInBraces } from "./splice-in-braces.ts";
import { spliceInList } from "./splice-in-list.ts";
import { lineEndBehind, lineStartBefore, type Splice, withSplices } from "./text-splice.ts";

/** One member of a configuration and its new value; `undefined` removes it. */
export interface ConfigChange {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** A change that cannot be made in the text, for example below a value that is written elsewhere (`*name`). */
export class NotEditable extends Error {
  override readonly name = "NotEditable";
  readonly path: ConfigPath;
  constructor(path: ConfigPath, reason: string) {
    super(`${pathText(path)} cannot be changed here: ${reason}`);
    this.path = path;
  }
}

/**
 * Changes members of a configuration file. Only the lines of these members change: comments, order and blanks of
 * everything else stay as they are.
 */
export function editText(text: string, changes: readonly ConfigChange[]): string {
  // A file written on Windows keeps its line ends.
  const isWindows = text.includes("\r\n") && !/(?<!\r)\n/.test(text);
  return isWindows ? edited(text.replaceAll("\r\n", "\n"), changes).replaceAll("\n", "\r\n") : edited(text, changes);
}

function edited(text: string, changes: readonly ConfigChange[]): string {
  if (changes.length === 0) return text;
  const wanted = parseYaml(text);
  for (const { path, value } of changes) set(wanted, path, value);
  // The edited text is parsed and compared. If the layout is unusual, or one change depends on another, the changes are
  // made one after the other. For many of them, the whole document is written anew instead.
  const spliced = splice(text, changes);
  if (spliced !== null && means(spliced, wanted)) return spliced;
  const isLong = changes.length > 1 && changes.length * text.length > mostCharacters;
  if (changes.length === 1 || isLong) return wanted.toString({ lineWidth: 0 });
  return changes.reduce((now, change) => edited(now, [change]), text);
}

/** Changes that are made one after the other parse the text several times each. */
const mostCharacters = 1_000_000;

const means = (text: string, wanted: Document): boolean => {
  const document = parseYaml(text);
  return document.errors.length === 0 && isDeepStrictEqual(document.toJS(), wanted.toJS());
};

function set(document: Document, path: readonly string[], value: unknown): void {
  try {
    if (value === undefined) document.deleteIn(path);
    // An empty section is null; the library can only add members to a map.
    else document.setIn(withoutEmpty(document, path), valueBelow(document, path, value));
  } catch {
    throw new NotEditable(path, "it lies below something that is not a section; edit the file by hand");
  }
}

/** Returns the path up to the first section that is empty or missing. */
function withoutEmpty(document: Document, path: readonly string[]): readonly string[] {
  for (let length = 1; length < path.length; length++) {
    const owner = document.getIn(path.slice(0, length), true);
    if (owner === undefined || owner === null || (isScalar(owner) && owner.value === null))
      return path.slice(0, length);
  }
  return path;
}

/** Wraps the value in the missing sections above it, as a node, so that the library writes it as a block. */
function valueBelow(document: Document, path: readonly string[], value: unknown): unknown {
  const { length } = withoutEmpty(document, path);
  return document.createNode(nested(path.slice(length), value));
}

const nested = (path: readonly string[], value: unknown): unknown =>
  path.reduceRight((inner: unknown, name) => ({ [name]: inner }), value);

/** Returns the text with all changes; null if a place is not a plain block of lines, or two places overlap. */
function splice(text: string, changes: readonly ConfigChange[]): string | null {
  const document = parseYaml(text);
  const splices: Splice[] = [];
  for (const change of changes) {
    const one = spliceFor(text, document, change);
    if (one === null) return null;
    splices.push(one);
  }
  return withSplices(text, splices);
}

function spliceFor(text: string, document: Document, { path, value }: ConfigChange): Splice | null {
  if (document.contents === null) {
    const written = stringify(nested(path, value), { lineWidth: 0 });
    const end = text.length;
    return { start: end, end, text: value === undefined ? "" : text === withLineEnd(text) ? written : `\n${written}` };
  }
  const [owner, depth] = deepestOwner(document, path);
  if (owner === null) return null;
  const pair = pairIn(owner, path[depth] ?? "");
  const rest = path.slice(depth + 1);
  // What is not there needs no removal.
  if (value === undefined && (pair === undefined || rest.length > 0)) return { start: 0, end: 0, text: "" };
  if (owner.flow === true) {
    const wanted = value === undefined ? undefined : nested(rest, value);
    return spliceInBraces(text, { owner, pair, name: path[depth] ?? "", value: wanted });
  }
  if (owner.items.length === 0) return null;
  const indent = indentOf(text, owner);
  if (indent === null) return null;
  if (value === undefined) return pair === undefined ? null : withoutLines(text, owner, pair);
  const inList = rest.length === 0 && Array.isArray(value) ? spliceInList(text, document, pair?.value, value) : null;
  if (inList !== null) return inList;
  const lines = (name: string, inner: unknown) =>
    stringify({ [name]: inner }, { lineWidth: 0 })
      .trimEnd()
      .split("\n")
      .map((line) => (line === "" ? line : indent + line))
      .join("\n");
  const written = lines(path[depth] ?? "", nested(rest, value));
  if (pair === undefined) return insertBehind(text, owner, written);
  return replaceValue(text, pair, written.slice(indent.length));
}

/** Returns the innermost existing section on the path, and how deep it is. */
function deepestOwner(document: Document, path: readonly string[]): [YAMLMap | null, number] {
  let owner = isMap(document.contents) ? document.contents : null;
  let depth = 0;
  while (owner !== null && depth < path.length - 1) {
    const inner: unknown = pairIn(owner, path[depth] ?? "")?.value;
    if (!isMap(inner) || inner.items.length === 0) break;
    owner = inner;
    depth++;
  }
  return [owner, depth];
}

const pairIn = (owner: YAMLMap, name: string): Pair | undefined =>
  owner.items.find(({ key }) => isScalar(key) && String(key.value) === name);

const startOf = ({ key }: Pair): number | null => (isScalar(key) ? (key.range?.[0] ?? null) : null);

/** Returns null if something else stands before the first name of the section, such as the dash of a list. */
function indentOf(text: string, owner: YAMLMap): string | null {
  const [first] = owner.items;
  const start = first === undefined ? null : startOf(first);
  if (start === null) return null;
  const before = text.slice(lineStartBefore(text, start), start);
  return before.trim() === "" ? before : null;
}

/** The end of the last line of a member, without its line break. */
function lineEndOf(text: string, pair: Pair): number | null {
  const { key, value } = pair;
  const end = isNode(value) ? value.range?.[1] : isScalar(key) ? key.range?.[1] : undefined;
  return end === undefined ? null : lineEndBehind(text, end);
}

function insertBehind(text: string, owner: YAMLMap, written: string): Splice | null {
  const last = owner.items.at(-1);
  const end = last === undefined ? null : lineEndOf(text, last);
  return end === null ? null : { start: end, end, text: `\n${written}${end === text.length ? "\n" : ""}` };
}

/** Replaces from the name to the end of the value. A comment behind it stays. */
function replaceValue(text: string, { key, value }: Pair, written: string): Splice | null {
  if (!isScalar(key) || key.range == null) return null;
  const [start, keyEnd] = key.range;
  const colon = text.indexOf(":", keyEnd);
  const end = isNode(value) && value.range != null ? Math.max(value.range[1], colon + 1) : colon + 1;
  const lineBreak = text[end - 1] === "\n" ? "\n" : "";
  return { start, end, text: written + lineBreak };
}

function withoutLines(text: string, owner: YAMLMap, pair: Pair): Splice | null {
  const start = startOf(pair);
  const end = lineEndOf(text, pair);
  // Without its last member the section would be null, which does not mean the same as no members.
  if (start === null || end === null || owner.items.length === 1) return null;
  return { start: lineStartBefore(text, start), end: end + 1, text: "" };
}

const withLineEnd = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);
