import { readFileSync } from "node:fs";
import { join } from "node:path";
import { withDeclarations } from "./emit-declarations.ts";
import { type PublicExport, publicExports } from "./public-exports.ts";

/** One entry of `exports` in package.json, with its exported names. */
export interface Door {
  /** The path as in package.json: `.` or `./sdk`. */
  readonly path: string;
  /** The name as in an import statement. */
  readonly specifier: string;
  readonly exports: readonly PublicExport[];
}

/** Every entry point of the package, from package.json and its types. */
export function readDoors(root: string): Door[] {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    name: string;
    exports: Record<string, string | { types: string }>;
  };
  const typed = Object.entries(manifest.exports).flatMap(([path, target]) =>
    typeof target === "string" ? [] : [{ path, types: target.types.replace("./dist/", "") }],
  );
  const sources = typed.map(({ types }) => types.replace(/\.d\.ts$/, ".ts"));
  return withDeclarations(root, sources, (folder) =>
    typed.map(({ path, types }) => ({
      path,
      specifier: path === "." ? manifest.name : `${manifest.name}${path.slice(1)}`,
      exports: publicExports(join(folder, types)),
    })),
  );
}
