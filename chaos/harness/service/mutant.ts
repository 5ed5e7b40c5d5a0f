import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Stage } from "../stage.ts";
import { ownSource } from "./service.ts";

/** A build with a deliberate mistake: a suite that does not notice it proves nothing. */
export interface Mutant {
  readonly name: string;
  readonly patches: readonly { readonly file: string; readonly line: string; readonly becomes: string }[];
}

const writerFile = "src/journal/sqlite/writer/writer.ts";

export const mutants: readonly Mutant[] = [
  {
    name: "commits without forcing them to the disk",
    patches: [
      {
        file: "src/journal/sqlite/writer/durability.ts",
        line: 'hasReplica ? "NORMAL" : "FULL"',
        becomes: '"NORMAL"',
      },
      // Disables the build's own guard, which would refuse to start.
      { file: "src/journal/sqlite/writer/durability.ts", line: "hasReplica ? 1 : 2", becomes: "1" },
    ],
  },
  {
    // The commit comes a tenth of a second after the first answer, which is longer than a cut waits for the last
    // answers.
    name: "answers before the commit",
    patches: [
      {
        file: writerFile,
        line: "  const commit = <Done>(work",
        becomes: "  let late: NodeJS.Timeout | null = null;\n  const commit = <Done>(work",
      },
      {
        file: writerFile,
        line: '    database.exec("BEGIN IMMEDIATE");\n',
        becomes: '    if (late === null) database.exec("BEGIN IMMEDIATE");\n',
      },
      {
        file: writerFile,
        line: '    database.exec("COMMIT");\n',
        becomes:
          '    late ??= setTimeout(() => { late = null; if (database.isOpen()) database.exec("COMMIT"); }, 100);\n',
      },
      // SQLite does not report the length of the log while a transaction is open, so the writer would fail.
      { file: writerFile, line: "log: () => log.get()", becomes: "log: () => (late === null ? log.get() : notKnown)" },
      {
        file: writerFile,
        line: "  const log = database.query(",
        becomes: "  const notKnown = { log: -1, checkpointed: -1 };\n  const log = database.query(",
      },
      {
        file: "src/journal/sqlite/log/log-maintenance.ts",
        line: "    const log = writer.log();\n",
        becomes: "    const log = writer.log();\n    if (log.log < 0) return;\n",
      },
    ],
  },
];

/** Also checked by a test that mounts nothing. A mutant whose line no longer exists would change nothing. */
export function patchedFiles({ name, patches }: Mutant): readonly string[] {
  return patches.map(({ file, ...patch }) =>
    patched(readFileSync(join(ownSource, file), "utf8"), { name, file, ...patch }),
  );
}

type Patch = Mutant["patches"][number];

function patched(text: string, { name, file, line, becomes }: Patch & { readonly name: string }): string {
  if (text.split(line).length !== 2) throw new Error(`the mutant that ${name} no longer fits ${file}: ${line}`);
  return text.replace(line, () => becomes);
}

/** A copy of the source tree with the lines replaced; the original is not changed. */
export function plantMutant(stage: Stage, { name, patches }: Mutant): string {
  const copy = stage.folder(`mutant-${name.replaceAll(" ", "-")}`);
  for (const part of ["bin", "src", "package.json"])
    cpSync(join(ownSource, part), join(copy, part), { recursive: true });
  symlinkSync(join(ownSource, "node_modules"), join(copy, "node_modules"));
  for (const { file, line, becomes } of patches) {
    const path = join(copy, file);
    writeFileSync(path, patched(readFileSync(path, "utf8"), { name, file, line, becomes }));
  }
  return copy;
}
