import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { importCircles, looseFiles, readCode } from "./code/read-code.ts";
import { retiredIn } from "./code/retired-words.ts";

const { values } = parseArgs({ options: { help: { type: "boolean", short: "h" }, write: { type: "boolean" } } });
if (values.help) {
  console.log(`node scripts/code-figures.ts [--write]

Measures the source: files, their length, loose files in a folder, circles of imports, retired words, and how many
files one confirmed step and one scan touch until they are answered.

  --write  puts the table into docs/measurements/code.md`);
  process.exit(0);
}

const files = readCode();
const lengths = files.map(({ lines }) => lines).sort((a, b) => a - b);
const median = lengths[Math.floor(lengths.length / 2)] ?? 0;
const [fullest, most] = [...looseFiles(files)].sort(([, a], [, b]) => b - a)[0] ?? ["", 0];
const touched = JSON.parse(
  execFileSync(process.execPath, [join(import.meta.dirname, "files-touched.ts"), "--json"], { encoding: "utf8" }),
) as { readonly step: number; readonly scan: number };

const allLines = lengths.reduce((sum, lines) => sum + lines, 0);

const rows: readonly (readonly [what: string, bar: string, measured: string])[] = [
  ["Files in `src`, without tests", "– (550 ± 100 for 75,000 lines)", String(files.length)],
  ["Their lines", "–", allLines.toLocaleString("en")],
  ["Files for 1,000 lines", "6.0 to 8.7", ((files.length * 1000) / allLines).toFixed(1)],
  ["Lines of a file, median", "60 to 125 (first: 70 to 110)", String(median)],
  ["Files over 250 lines", "–", String(lengths.filter((lines) => lines > 250).length)],
  ["Loose files in a folder, at most", "12", `${most} (\`src/${fullest}\`)`],
  ["Circles of imports, types included", "0", String(importCircles(files).length)],
  ["Retired words in names", "0", String(files.flatMap(retiredIn).length)],
  ["Files that a confirmed step touches until its answer", "≤ 40", String(touched.step)],
  ["Files that an embedded scan touches until its answer", "≤ 20", String(touched.scan)],
];
const table = [
  "| Figure | Bar | Measured |",
  "|---|---|---|",
  ...rows.map(([what, bar, measured]) => `| ${what} | ${bar} | ${measured} |`),
].join("\n");

console.log(table);
if (values.write) {
  const page = `# Measurements: the code

Made by \`node scripts/code-figures.ts --write\`. Tests hold the bars for loose files, circles and retired words.

${table}

Why the number of files is measured in relation to the lines: [decision 127](../decisions/0127-the-size-of-the-code-in-relation-to-its-lines.md).

Files touched are counted by V8 coverage of one warm request in the main thread (\`node scripts/files-touched.ts --list\`
names them). The journal's writer thread is not counted: it works behind a queue.
`;
  writeFileSync(resolve(import.meta.dirname, "../docs/measurements/code.md"), page);
}
