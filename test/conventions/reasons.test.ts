import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..", "src");

/** How many are left without a reason. It may only fall; at nought this line goes. */
const mostUnexplained = 0;

/** What the compiler or the log is kept from saying: a claim about a type, and an error that nobody hears of. */
const silences = [
  /\bas\s+(?!const\b)[\w{(["]/,
  /\.catch\(\(\) => (\{\s*\}|undefined|null)\)/,
  /\bcatch(?: \(\w+\))? \{\s*\}/,
];
const isComment = (line: string) => /^(\/\/|\/\*|\*)/.test(line.trim());
const texts = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/g;
/** Statements end so; a comment above the line before does not speak of this one. */
const isEnd = (line: string) => /[;}]$/.test(line) || line === "";
const maxLinesAbove = 12;

/** The code of each line: without comments, what stands in texts, and names given anew in imports and exports. */
function codeLines(source: string): string[] {
  let isInside: "comment" | "text" | "names" | null = null;
  return source.split("\n").map((line) => {
    let code = line;
    if (isInside === "comment" || isInside === "text") {
      const end = code.indexOf(isInside === "comment" ? "*/" : "`");
      if (end === -1) return "";
      code = code.slice(end + (isInside === "comment" ? 2 : 1));
      isInside = null;
    }
    code = code
      .replace(texts, '""')
      .replace(/\/\*.*?\*\//g, "")
      .replace(/\/\/.*/, "");
    for (const [kind, start] of [
      ["comment", "/*"],
      ["text", "`"],
    ] as const) {
      if (!code.includes(start)) continue;
      isInside = kind;
      code = code.slice(0, code.indexOf(start));
    }
    if (isInside === null && /^\s*(import|export)\s+(type\s+)?[*{]/.test(code)) isInside = "names";
    if (isInside !== "names") return code;
    if (code.includes("}") || code.includes(";")) isInside = null;
    return "";
  });
}

/** The lines with a silence for which no comment beside them or above their statement gives a reason. */
function unexplained(source: string): number[] {
  const lines = source.split("\n");
  return codeLines(source).flatMap((code, index) => {
    if (!silences.some((silence) => silence.test(code))) return [];
    if ((lines[index] ?? "").replace(texts, "").includes("//")) return [];
    for (let above = index - 1; above >= Math.max(0, index - maxLinesAbove); above--) {
      const line = (lines[above] ?? "").trim();
      if (isComment(line)) return [];
      if (isEnd(line)) break;
    }
    return [index + 1];
  });
}

test.each([
  ["const a = b as C;", [1]],
  ["const a = 1;\n// Why.\nconst b = a as C;", []],
  ["// Of another line.\nconst a = 1;\nconst b = a as C;", [3]],
  ["// Why.\nconst b = call(\n  a as C,\n);", []],
  ["await work().catch(() => {});", [1]],
  ["await work().catch(() => {}); // Why.", []],
  ["try {\n  work();\n} catch {}", [3]],
  ['const a = "as C"; const b = { c: 1 } as const;', []],
  ['import * as a from "b";\nexport { c as d };\nimport {\n  e as f,\n} from "g";', []],
  ["const text = `\n  known as C\n`;\nconst b = a as C;", [4]],
])("%j has its reasons missing in the lines %j", (source, lines) => {
  expect(unexplained(source)).toEqual(lines);
});

test("what silences the compiler or an error has its reason beside it", () => {
  const files = readdirSync(root, { recursive: true, encoding: "utf8" });
  const found = files
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .flatMap((file) => unexplained(readFileSync(join(root, file), "utf8")).map((line) => `src/${file}:${line}`));
  expect(found.length, found.join("\n")).toBeLessThanOrEqual(mostUnexplained);
});
