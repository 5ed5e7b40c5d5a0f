import {
  Composer,
  type CST,
  type Document,
  isMap,
  isScalar,
  type LineCounter,
  type ParsedNode,
  Parser,
  visit,
  YAMLParseError,
} from "yaml";
import { ConfigError } from "./config-error.ts";

/**
 * The limits of a configuration file, and of a part of it that is given as YAML. Far more than any deployment needs,
 * and little enough to be read within a second.
 */
export const yamlLimits = {
  /** Characters of the whole text. */
  length: 1_048_576,
  /** Levels of sections and lists. */
  depth: 64,
  /** Members of all sections and elements of all lists together. */
  values: 20_000,
  /** Uses of an anchor, `*name`. */
  aliases: 1_000,
} as const;

const options = { prettyErrors: false, stringKeys: true, merge: true, uniqueKeys: false } as const;

/**
 * Parses YAML in time that grows with its length, not with its square. Errors of the YAML are in the document; a text
 * beyond a limit throws a ConfigError that names the limit.
 */
export function parseYaml(
  text: string,
  { source = "", lineCounter }: { readonly source?: string; readonly lineCounter?: LineCounter } = {},
): Document.Parsed {
  const refuse = (what: string, hint: string) => new ConfigError([{ source, text: what, hint }]);
  if (text.length > yamlLimits.length) {
    throw refuse(`the text has more than ${yamlLimits.length} characters`, "Keep long data outside the configuration.");
  }
  const tokens = [...new Parser(lineCounter?.addNewLine).parse(text)];
  const beyond = beyondLimit(tokens);
  if (beyond !== null) throw refuse(`the text has more than ${yamlLimits[beyond]} ${words[beyond]}`, hints[beyond]);
  const composer = new Composer<ParsedNode, true>({
    ...options,
    ...(lineCounter === undefined ? {} : { lineCounter }),
  });
  let document: Document.Parsed | null = null;
  for (const one of composer.compose(tokens, true, text.length)) {
    if (document === null) document = one;
    else {
      const [start, end] = one.range;
      document.errors.push(new YAMLParseError([start, end], "MULTIPLE_DOCS", "there is more than one document"));
      break;
    }
  }
  if (document === null) throw new Error("the YAML library made no document");
  for (const offset of secondKeys(document)) {
    document.errors.push(new YAMLParseError([offset, offset + 1], "DUPLICATE_KEY", "Map keys must be unique"));
  }
  return document;
}

type Counted = "depth" | "values" | "aliases";
const words: Readonly<Record<Counted, string>> = {
  depth: "levels of sections and lists",
  values: "members and list elements",
  aliases: "uses of an anchor (*name)",
};
const hints: Readonly<Record<Counted, string>> = {
  depth: "No setting is nested that deep. Check the brackets and the indentation.",
  values: "Keep long data outside the configuration.",
  aliases: "Write the values out instead of &name and *name.",
};

/** Counts without recursion: the composer would overflow the stack on a hundred thousand open brackets. */
function beyondLimit(tokens: readonly CST.Token[]): Counted | null {
  const waiting: { readonly token: CST.Token; readonly depth: number }[] = tokens.map((token) => ({ token, depth: 0 }));
  let values = 0;
  let aliases = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { token, depth } = next;
    if (token.type === "alias" && ++aliases > yamlLimits.aliases) return "aliases";
    if (token.type === "document" && token.value !== undefined) waiting.push({ token: token.value, depth });
    if (!("items" in token)) continue;
    if (depth >= yamlLimits.depth) return "depth";
    values += token.items.length;
    if (values > yamlLimits.values) return "values";
    for (const { key, value } of token.items) {
      if (key != null) waiting.push({ token: key, depth: depth + 1 });
      if (value !== undefined) waiting.push({ token: value, depth: depth + 1 });
    }
  }
  return null;
}

/**
 * Returns where a name is defined for the second time in its section. The library compares every name with every other
 * one: a section of 60,000 names takes it a minute.
 */
function secondKeys(document: Document.Parsed): number[] {
  const found: number[] = [];
  visit(document, {
    Map: (_, map) => {
      if (!isMap(map)) return;
      const names = new Set<unknown>();
      for (const { key } of map.items) {
        if (!isScalar(key)) continue;
        if (names.has(key.value)) found.push(key.range?.[0] ?? 0);
        names.add(key.value);
      }
    },
  });
  return found;
}
