import { type Document, isScalar, visit, type YAMLError } from "yaml";
import { nearestName } from "../../kit/nearest-name.ts";
import { didYouMean } from "./config-error.ts";

/** An error in the YAML itself: its position, and what to do. */
export interface YamlProblem {
  readonly offset: number;
  readonly text: string;
  readonly hint: string;
}

const generalHint = "Check the indentation and the quotes of this line and the one before.";

/** The library's message, or a better one if the library reports the end of an error instead of its beginning. */
export function yamlProblem(error: YAMLError, document: Document, text: string): YamlProblem {
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
export function unknownAlias(document: Document): YamlProblem | undefined {
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
