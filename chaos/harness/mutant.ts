import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ownSource } from "./service.ts";
import type { Stage } from "./stage.ts";

/** A build that is wrong on purpose: a suite that does not notice it proves nothing. */
export interface Mutant {
  readonly name: string;
  readonly patches: readonly { readonly file: string; readonly line: string; readonly becomes: string }[];
}

export const mutants: readonly Mutant[] = [
  {
    name: "commits without forcing them to the disk",
    patches: [
      {
        file: "src/journal/sqlite/writer/durability.ts",
        line: "PRAGMA synchronous = FULL",
        becomes: "PRAGMA synchronous = NORMAL",
      },
      // The build's own guard, which would refuse to start.
      { file: "src/journal/sqlite/writer/durability.ts", line: "synchronous !== 2", becomes: "synchronous !== 1" },
    ],
  },
  {
    name: "answers before the commit",
    patches: [
      {
        file: "src/journal/sqlite/writer/writer.ts",
        line: '    database.exec("BEGIN IMMEDIATE");\n',
        becomes: '    late?.();\n    database.exec("BEGIN IMMEDIATE");\n',
      },
      {
        file: "src/journal/sqlite/writer/writer.ts",
        line: '    database.exec("COMMIT");\n',
        becomes:
          '    const own = () => { if (late !== own) return; late = null; if (database.isOpen()) database.exec("COMMIT"); };\n' +
          "    late = own;\n    setTimeout(own, 5);\n",
      },
      {
        file: "src/journal/sqlite/writer/writer.ts",
        line: "  const commit = (commands",
        becomes: "  let late: (() => void) | null = null;\n  const commit = (commands",
      },
    ],
  },
];

/** A copy of the source tree with these lines replaced; the source itself is unchanged. */
export function plantMutant(stage: Stage, { name, patches }: Mutant): string {
  const copy = stage.folder(`mutant-${name.replaceAll(" ", "-")}`);
  for (const part of ["bin", "src", "package.json"])
    cpSync(join(ownSource, part), join(copy, part), { recursive: true });
  symlinkSync(join(ownSource, "node_modules"), join(copy, "node_modules"));
  for (const { file, line, becomes } of patches) {
    const path = join(copy, file);
    const text = readFileSync(path, "utf8");
    if (text.split(line).length !== 2) throw new Error(`the mutant that ${name} no longer fits ${file}: ${line}`);
    writeFileSync(
      path,
      text.replace(line, () => becomes),
    );
  }
  return copy;
}
