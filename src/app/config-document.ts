import { type Document, isNode, isScalar, LineCounter, type Node, parseDocument } from "yaml";
import { ConfigError, type ConfigPath, type ConfigProblem } from "./config-error.ts";
import { memberIn, pairIn } from "./config-member.ts";
import { excerptAt, unknownAlias, yamlProblem } from "./yaml-problem.ts";

export interface ConfigDocument {
  readonly value: unknown;
  /** Where a member stands: its value, or its name where `at` says so; a missing one stands where its owner does. */
  readonly place: (path: ConfigPath, at?: "key" | "value") => Pick<ConfigProblem, "line" | "column">;
}

/** Reads YAML (and so JSON) and remembers where everything stands. */
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
      problems.map(({ offset, text: said, hint }) => {
        const place = placeAt(offset);
        const excerpt = excerptAt(text, place.line, place.column);
        return { source, ...place, text: said, hint, ...(excerpt === undefined ? {} : { excerpt }) };
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
    // The library counts aliases and gives up before a small file unfolds to gigabytes.
    throw new ConfigError([
      { source, text: (error as Error).message, hint: "Write the values out instead of &name and *name." },
    ]);
  }
}
