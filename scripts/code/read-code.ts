import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

/** One source file: its path below `src`, its text, and the files of `src` that it imports. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly lines: number;
  readonly imports: readonly Import[];
}

export interface Import {
  readonly path: string;
}

export const sourceFolder = resolve(import.meta.dirname, "../../src");

/** Every TypeScript file of a folder, without tests: by default of the product. */
export function readCode(folder = sourceFolder): readonly SourceFile[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path) && !path.includes("node_modules"))
    .sort()
    .map((path) => {
      const text = readFileSync(join(folder, path), "utf8");
      return { path, text, lines: text.split("\n").length - 1, imports: importsIn(path, text, folder) };
    });
}

function importsIn(path: string, text: string, folder: string): Import[] {
  const pattern = /(?:^|\n)(?:import|export)\s+(?:[^"';]*?from\s+)?"(\.[^"]+)"|import\(\s*"(\.[^"]+)"/g;
  return [...text.matchAll(pattern)].map(([, named, dynamic]) => ({
    path: relative(folder, resolve(folder, dirname(path), named ?? dynamic ?? "")),
  }));
}

/** Number of loose files per folder. */
export function looseFiles(files: readonly SourceFile[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { path } of files) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return counts;
}

/** Groups of files that import each other, including imports of types only. Uses Tarjan's algorithm. */
export function importCircles(files: readonly SourceFile[]): readonly (readonly string[])[] {
  const targets = new Map(files.map(({ path, imports }) => [path, imports]));
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  const visit = (path: string): void => {
    order.set(path, order.size);
    lowest.set(path, order.size - 1);
    open.push(path);
    for (const { path: target } of targets.get(path) ?? []) {
      if (!targets.has(target)) continue;
      if (!order.has(target)) visit(target);
      else if (!open.includes(target)) continue;
      lowest.set(path, Math.min(lowest.get(path) ?? 0, lowest.get(target) ?? 0));
    }
    if (lowest.get(path) !== order.get(path)) return;
    const circle = open.splice(open.indexOf(path));
    if (circle.length > 1) circles.push(circle);
  };
  for (const path of targets.keys()) if (!order.has(path)) visit(path);
  return circles;
}

/** The names in a text, without its comments and strings. */
export function identifiersIn(text: string): ReadonlySet<string> {
  const bare = text.replace(
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g,
    " ",
  );
  return new Set(bare.match(/[A-Za-z_$][\w$]*/g) ?? []);
}

/** The words in a name in camel case, snake case or kebab case. */
export const wordsOf = (name: string): readonly string[] =>
  (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []).map((word) => word.toLowerCase());
