import { createHash } from "node:crypto";
import { stringify } from "yaml";

/**
 * Renders the small part of Helm's template language that our chart uses: values, `if`, `else`, `end`, and a few
 * functions in pipes. Anything else is an error, so that the chart stays within what is tried here.
 */
export function renderChart(template: string, context: object): string {
  const parts = template.split(/(\{\{-?[\s\S]*?-?\}\})/);
  // Whether each open `if` is true, from the outermost to the innermost.
  const open: boolean[] = [];
  let text = "";
  for (const [index, part] of parts.entries()) {
    if (index % 2 === 0) {
      const isTrimmed = parts[index + 1]?.startsWith("{{-") === true;
      if (open.every(Boolean)) text += isTrimmed ? part.trimEnd() : part;
      continue;
    }
    const action = part.replace(/^\{\{-?\s*|\s*-?\}\}$/g, "");
    if (action.startsWith("if ")) open.push(isTrue(evaluate(action.slice(3), context)));
    else if (action === "else") open.push(!open.pop());
    else if (action === "end") open.pop();
    else if (open.every(Boolean)) text += String(evaluate(action, context));
  }
  if (open.length > 0) throw new Error("an if has no end");
  return text;
}

const isTrue = (value: unknown): boolean => {
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
};

const functions: Readonly<Record<string, (...args: never[]) => unknown>> = {
  toYaml: (value: unknown) => stringify(value).trimEnd(),
  quote: (value: unknown) => JSON.stringify(String(value)),
  nindent: (spaces: number, value: string) => `\n${value.replaceAll(/^/gm, " ".repeat(spaces))}`,
  sha256sum: (value: string) => createHash("sha256").update(value).digest("hex"),
  printf: (format: string, ...values: string[]) =>
    values.reduce((rest, value) => rest.replace("%s", () => value), format),
  not: (value: unknown) => !isTrue(value),
  regexMatch: (pattern: string, value: string) => new RegExp(pattern).test(value),
  fail: (message: string) => {
    throw new Error(message);
  },
  trimSuffix: (suffix: string, value: string) => (value.endsWith(suffix) ? value.slice(0, -suffix.length) : value),
  dig: (...given: unknown[]) => {
    const [names, [fallback, from]] = [given.slice(0, -2), given.slice(-2)];
    const found = names.reduce((value, name) => Object(value)[String(name)], from);
    return found === undefined ? fallback : found;
  },
};

function evaluate(expression: string, context: object): unknown {
  return expression.split("|").reduce<unknown>((piped, step, index) => {
    const words = step.trim().match(/"[^"]*"|\S+/g) ?? [];
    const [first = "", ...rest] = words;
    const call = functions[first];
    if (call === undefined) {
      if (index > 0 || rest.length > 0) throw new Error(`the chart uses ${step}, which is not tried`);
      return valueAt(first, context);
    }
    const given = [...rest.map((word) => valueAt(word, context)), ...(index > 0 ? [piped] : [])];
    // Each function gets what the chart passes to it; a wrong kind fails the test.
    return call(...(given as never[]));
  }, undefined);
}

function valueAt(word: string, context: object): unknown {
  if (/^\d+$/.test(word)) return Number(word);
  if (word.startsWith('"')) return word.slice(1, -1);
  if (!/^(\.\w+)+$/.test(word)) throw new Error(`the chart uses ${word}, which is not tried`);
  return word
    .slice(1)
    .split(".")
    .reduce<unknown>((value, name) => {
      if (typeof value !== "object" || value === null || !(name in value)) throw new Error(`there is no value ${word}`);
      // Just seen to be there.
      return (value as Record<string, unknown>)[name];
    }, context);
}
