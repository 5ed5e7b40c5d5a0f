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
  type YAMLMap,
} from "yaml";
import type { Problem } from "../../contract/validate/problem.ts";
import { noChoice } from "../../contract/validate/schema-problems.ts";
import { meantSentence } from "../../kit/nearest-name.ts";
import { localise } from "../../messages/localise.ts";
import { problemText } from "../../operation/fault.ts";
import {
  ConfigError,
  type ConfigPath,
  type ConfigProblem,
  choiceMeant,
  type Objection,
  pathOf,
  pathText,
} from "./config-error.ts";
import { type ConfigShape, shapeAt, type UnknownKey } from "./config-shape.ts";
import { hiddenValue, mayHoldSecret } from "./hidden-value.ts";
import { parseYaml } from "./parse-yaml.ts";
import { unknownAlias, yamlProblem } from "./yaml-problem.ts";

export interface ConfigDocument {
  readonly value: unknown;
  /** As the YAML library has read it. */
  readonly parsed: ParsedConfig;
  /**
   * The position of a member's value, or of its name if `at` says so; for a missing member the position of its owner.
   */
  readonly place: (path: ConfigPath, at?: "key" | "value") => Pick<ConfigProblem, "line" | "column">;
}

export interface ParsedConfig {
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
}

/** Reads YAML (and so JSON) and remembers the position of every member. */
export function configDocument(text: string, source: string): ConfigDocument {
  const lines = new LineCounter();
  const document = parseYaml(text, { source, lineCounter: lines });
  const placeAt = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const alias = unknownAlias(document);
  const problems = [
    ...document.errors.slice(0, mostProblems).map((error) => yamlProblem(error, document, text)),
    ...(alias === undefined ? [] : [alias]),
  ];
  if (problems.length > 0) {
    const written = text.split(/\r?\n/);
    throw new ConfigError(
      problems.map(({ offset, text: message, hint }) => {
        const place = placeAt(offset);
        const excerpt = excerptAt(written, place.line, place.column);
        return { source, ...place, text: message, hint, ...(excerpt === undefined ? {} : { excerpt }) };
      }),
    );
  }

  const index = nodeIndex(document);
  const nodeAt = (path: ConfigPath): Node | null =>
    path.reduce<Node | null>(
      (owner, key) => memberIn(index, owner, key),
      isNode(document.contents) ? document.contents : null,
    );
  const keyOffset = (path: ConfigPath): number | undefined => {
    const key = pairIn(index, nodeAt(path.slice(0, -1)), path.at(-1) ?? "")?.key;
    return isScalar(key) ? key.range?.[0] : undefined;
  };

  return {
    value: plainValue(document, source),
    parsed: { document, lines },
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

/** A reader corrects a few and tries again. Each takes time, and a broken file can have thousands. */
const mostProblems = 100;

/** What is looked up in a document, each found once: every setting of a file has its position looked up. */
interface NodeIndex {
  /** The node itself, or the one that an alias refers to. */
  readonly resolved: (node: Node | null) => Node | null;
  readonly ownPairs: (map: YAMLMap) => ReadonlyMap<string, Pair>;
}

function nodeIndex(document: Document): NodeIndex {
  const targets = new Map<Node, Node | null>();
  const pairs = new Map<YAMLMap, ReadonlyMap<string, Pair>>();
  return {
    resolved: (node) => {
      if (!isAlias(node)) return node;
      const target = targets.get(node) ?? node.resolve(document) ?? null;
      targets.set(node, target);
      return target;
    },
    ownPairs: (map) => {
      const known = pairs.get(map);
      if (known !== undefined) return known;
      const named = map.items.flatMap((pair): [string, Pair][] =>
        isScalar(pair.key) ? [[String(pair.key.value), pair]] : [],
      );
      // The first of two members with the same name counts.
      const found = new Map(named.reverse());
      pairs.set(map, found);
      return found;
    },
  };
}

/** No real configuration has a longer chain of `<<`, and a circular one would never end. */
const deepestMerge = 20;

/** The member with a name or index, also if it is defined elsewhere and referred to by `*name` or `<<: *name`. */
function memberIn(index: NodeIndex, owner: Node | null, key: string | number): Node | null {
  const target = index.resolved(owner);
  const found = isSeq(target) ? target.items[Number(key)] : pairIn(index, target, key)?.value;
  return isNode(found) ? found : null;
}

/**
 * Finds name and value. A map's own members take precedence over merged ones, and the first merged one over later ones.
 */
function pairIn(index: NodeIndex, owner: Node | null, key: string | number, depth = 0): Pair | undefined {
  const map = index.resolved(owner);
  if (!isMap(map) || depth > deepestMerge) return undefined;
  const pairs = index.ownPairs(map);
  const own = pairs.get(String(key));
  const merge = pairs.get("<<");
  if (own !== undefined || merge === undefined || !isMerge(merge)) return own;
  for (const source of sourcesOf(index, merge.value)) {
    const merged = pairIn(index, source, key, depth + 1);
    if (merged !== undefined) return merged;
  }
  return undefined;
}

// In quotes, `<<` is an ordinary name.
const isMerge = ({ key }: Pair): boolean => isScalar(key) && key.type === "PLAIN" && key.value === "<<";

function sourcesOf(index: NodeIndex, value: unknown): Node[] {
  const one = isNode(value) ? index.resolved(value) : null;
  if (one === null) return [];
  return isSeq(one) ? one.items.filter(isNode) : [one];
}

const longestLine = 100;

/** The line of an error with a caret below it; none if the line may contain a secret. */
function excerptAt(lines: readonly string[], line: number, column: number): string | undefined {
  const shown = lines[line - 1] ?? "";
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
      hint: `${meantSentence(String(path.at(-1)), allowed)}Known here: ${allowed.join(", ")}.`,
    }),
    wrong: (problem: Problem): ConfigProblem => {
      const path = pathOf(problem.field);
      const member = shapeAt(shape, path);
      const shown = mayHoldSecret(path) ? { ...problem, found: hiddenValue } : problem;
      return { source, ...document.place(path), ...sentence(shown, member), ...hintFor(member, choiceMeant(shown)) };
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
  if (expected === "valid" && detail === noChoice) return { text: `${field}: ${found} cannot be used here` };
  const message = problemText({ ...problem, field: field === "" ? "the file" : field });
  return { text: localise(message, "en"), message };
}

function hintFor(member: ConfigShape | undefined, meant: string): { hint?: string } {
  if (member?.description === undefined) return meant === "" ? {} : { hint: meant.trimEnd() };
  const range = member.minimum === undefined ? "" : ` From ${member.minimum} to ${member.maximum ?? "any number"}.`;
  const isPlain = typeof member.default !== "object" && member.default !== undefined && member.default !== "";
  return { hint: meant + member.description + range + (isPlain ? ` Default: ${String(member.default)}.` : "") };
}
