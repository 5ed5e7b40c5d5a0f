import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Lets the compiler write the types of these files, and of all files they need, into a temporary folder that is deleted
 * after the call. Types are not checked here, because the gate does that, and it would take three times as long.
 */
export function withDeclarations<T>(root: string, files: readonly string[], use: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "crossdock-api-"));
  try {
    const config = {
      extends: join(root, "tsconfig.build.json"),
      compilerOptions: {
        ...{ noCheck: true, emitDeclarationOnly: true, outDir: folder, rootDir: root },
        typeRoots: [join(root, "node_modules/@types")],
      },
      ...{ include: [], files: files.map((file) => join(root, file)) },
    };
    const configFile = join(folder, "tsconfig.json");
    writeFileSync(configFile, JSON.stringify(config));
    execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", configFile], {
      stdio: "inherit",
    });
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
