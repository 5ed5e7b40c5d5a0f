import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  visit,
  type YAMLError,
} from "yaml";
import type { Problem } from "../../contract/validate/validator.ts";
import { nearestName } from "../../kit/nearest-name.ts";
import { localise } from "../../messages/localise.ts";
import { problemText } from "../../operation/fault.ts";
import {
  ConfigError,
  type ConfigPath,
  type ConfigProblem,
  didYouMean,
  type Objection,
  pathOf,
  pathText,
} from "./config-error.ts";
import { type ConfigShape, shapeAt, type UnknownKey } from "./config-shape.ts";

export interface ConfigDocument {
  readonly value: unknown;
  /**
   * The position of a member's value, or of its name if `at` says so; for a missing member the position of its owner.
   */
  readonly place: (path: ConfigPath, at?: "key" | "value") => Pick<ConfigProblem, "line" | "column">;
}

/** Reads YAML (and so JSON) and remembers the position of every member. */
export function configDocument(text: string, source: string): ConfigDocument {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true, merge: true });
  const placeAt = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const alias = unknownAlias(document);
  const problems = [
    ...document.errors.map((error) => yamlProblem(error, document, text)),
    ...(alias === undefined ? [] : [alias]),
  ];
  if (problems.length > 0) {
    throw new ConfigError(
      problems.map(({ offset, text: message, hint }) => {
        const place = placeAt(offset);
        const excerpt = excerptAt(text, place.line, place.column);
        return { source, ...place, text: message, hint, ...(excerpt === undefined ? {} : { excerpt }) };
      }),
    );
  }

  const nodeAt = (path: ConfigPath): Node | null =>
    path.reduce<Node | null>(
      (owner, key) => memberIn(document, owner, key),
      isNode(document.contents) ? document.contents : null,
    );
  const keyOffset = (path: ConfigPath): number | undefined => {
    const key = pairIn(document, nodeAt(path.slice(0, -1)), path.at(-1) ?? "")?.key;
    return isScalar(key) ? key.range?.[0] : undefined;
  };

  return {
    value: plainValue(document, source),
    place: (path, at = "value") => {
      if (at === "key") {
        const offset = keyOffset(path);
        if (offset !== undefined) return placeAt(offset);
      }
      for (let length = path.length; length >= 0; length--) {
        const offset = nodeAt(path.slice(0, length))?.range?.[0];
        if (offset !== undefined) return placeAt(offset);
      }
      return { line: 1, column: 1 };
    },
  };
}

function plainValue(document: Document, source: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    // The library limits aliases, so that a small file cannot expand to gigabytes.
    throw new ConfigError([
      { source, text: (error as Error).message, hint: "Write the values out instead of &name and *name." },
    ]);
  }
}

/** No real configuration has a longer chain of `<<`, and a circular one would never end. */
const deepestMerge = 20;

/** The member with a name or index, also if it is defined elsewhere and referred to by `*name` or `<<: *name`. */
function memberIn(document: Document, owner: Node | null, key: string | number): Node | null {
  const target = resolved(document, owner);
  const found = isSeq(target) ? target.items[Number(key)] : pairIn(document, target, key)?.value;
  return isNode(found) ? found : null;
}

/**
 * Finds name and value. A map's own members take precedence over merged ones, and the first merged one over later ones.
 */
function pairIn(document: Document, owner: Node | null, key: string | number, depth = 0): Pair | undefined {
  const map = resolved(document, owner);
  if (!isMap(map) || depth > deepestMerge) return undefined;
  const own = map.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === String(key));
  if (own !== undefined) return own;
  for (const source of map.items.filter(isMerge).flatMap(({ value }) => sourcesOf(document, value))) {
    const merged = pairIn(document, source, key, depth + 1);
    if (merged !== undefined) return merged;
  }
  return undefined;
}

const resolved = (document: Document, node: Node | null): Node | null =>
  isAlias(node) ? (node.resolve(document) ?? null) : node;

// In quotes, `<<` is an ordinary name.
const isMerge = ({ key }: Pair): boolean => isScalar(key) && key.type === "PLAIN" && key.value === "<<";

function sourcesOf(document: Document, value: unknown): Node[] {
  const one = isNode(value) ? resolved(document, value) : null;
  if (one === null) return [];
  return isSeq(one) ? one.items.filter(isNode) : [one];
}

/** An error in the YAML itself: its position, and what to do. */
interface YamlProblem {
  readonly offset: number;
  readonly text: string;
  readonly hint: string;
}

const generalHint = "Check the indentation and the quotes of this line and the one before.";

/** The library's message, or a better one if the library reports the end of an error instead of its beginning. */
function yamlProblem(error: YAMLError, document: Document, text: string): YamlProblem {
  const [offset] = error.pos;
  if (error.code === "DUPLICATE_KEY") {
    const key = /^["']?([^"':\s]+)/.exec(text.slice(offset))?.[1] ?? "a name";
    return { offset, text: `${key} is defined twice`, hint: "Keep one of the two, or give each its own name." };
  }
  const open = error.code === "MISSING_CHAR" ? openQuote(document, offset) : undefined;
  if (open !== undefined) {
    const quote = text[open] ?? '"';
    return {
      offset: open,
      text: `the text that begins with ${quote} here is never closed`,
      hint: `Add ${quote} at its end.`,
    };
  }
  return { offset, text: `this is not valid YAML: ${error.message}`, hint: generalHint };
}

/** The start of the quoted text that is not closed before the end of the file or before the reported error. */
function openQuote(document: Document, offset: number): number | undefined {
  let found: number | undefined;
  visit(document, (_, node) => {
    if (!isScalar(node) || !/^QUOTE/.test(node.type ?? "") || node.range == null) return;
    const [begin, end] = node.range;
    if (begin <= offset && offset <= end + 1) found = begin;
  });
  return found;
}

/** The first `*name` without an earlier `&name`. */
function unknownAlias(document: Document): YamlProblem | undefined {
  let found: YamlProblem | undefined;
  const anchors = new Set<string>();
  visit(document, {
    Alias: (_, node) => {
      if (found !== undefined || anchors.has(node.source)) return;
      const names = [...anchors];
      const known = names.length === 0 ? "There are none." : `There are ${names.map((name) => `&${name}`).join(", ")}.`;
      const hint = `${didYouMean(nearestName(node.source, names))}${known}`;
      found = { offset: node.range?.[0] ?? 0, text: `no anchor above it is called &${node.source}`, hint };
    },
    Value: (_, node) => {
      if ("anchor" in node && typeof node.anchor === "string") anchors.add(node.anchor);
    },
  });
  return found;
}

const longestLine = 100;

/** The line of an error with a caret below it; none if the line may contain a secret. */
function excerptAt(text: string, line: number, column: number): string | undefined {
  const shown = text.split(/\r?\n/)[line - 1] ?? "";
  if (/password|secret|token|key/i.test(shown) || column > longestLine || shown.trim() === "") return undefined;
  const cut = shown.length > longestLine ? `${shown.slice(0, longestLine)}…` : shown;
  return `    ${cut.replaceAll("\t", " ")}\n    ${" ".repeat(column - 1)}^`;
}

/** Message and position for everything that the checks of a configuration file report. */
export function describeProblem({
  document,
  source,
  shape,
}: {
  document: ConfigDocument;
  source: string;
  shape: ConfigShape;
}) {
  return {
    unknown: ({ path, allowed }: UnknownKey): ConfigProblem => ({
      source,
      ...document.place(path, "key"),
      text: `${pathText(path)}: there is no such setting`,
      hint: `${didYouMean(nearestName(String(path.at(-1)), allowed))}Known here: ${allowed.join(", ")}.`,
    }),
    wrong: (problem: Problem): ConfigProblem => {
      const path = pathOf(problem.field);
      const member = shapeAt(shape, path);
      return { source, ...document.place(path), ...sentence(problem, member), ...hintFor(member) };
    },
    objection: ({ path, text, hint, problem }: Objection): ConfigProblem => ({
      source,
      ...document.place(path),
      text: `${pathText(path)}: ${text}`,
      ...(problem === undefined ? {} : { message: problemText({ ...problem, field: pathText(path) }) }),
      ...(hint === undefined ? {} : { hint }),
    }),
  };
}

function sentence(problem: Problem, member: ConfigShape | undefined): Pick<ConfigProblem, "text" | "message"> {
  const { expected, detail, field, found } = problem;
  if (expected === "valid" && detail === "maximum") {
    return { text: `${field}: must be ${member?.maximum} or less, not ${found}` };
  }
  if (expected === "valid" && detail === "pattern") {
    return { text: `${field}: ${found} does not have the required format` };
  }
  const message = problemText({ ...problem, field: field === "" ? "the file" : field });
  return { text: localise(message, "en"), message };
}

function hintFor(member: ConfigShape | undefined): { hint?: string } {
  if (member?.description === undefined) return {};
  const range = member.minimum === undefined ? "" : ` From ${member.minimum} to ${member.maximum ?? "any number"}.`;
  const isPlain = typeof member.default !== "object" && member.default !== undefined && member.default !== "";
  return { hint: member.description + range + (isPlain ? ` Default: ${String(member.default)}.` : "") };
}
