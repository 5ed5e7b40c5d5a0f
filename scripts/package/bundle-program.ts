import { globSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative, resolve, sep } from "node:path";
import { build, type Plugin } from "vite";

/**
 * Libraries of hundreds of small files, which are bundled because reading them takes a third of a start. The others
 * stay in `node_modules`.
 */
const bundled = ["typebox", "yaml", "commander", "intl-messageformat", /^@formatjs\//];

export interface BundleOptions {
  readonly root: string;
  /** The path of the folder `dist`. */
  readonly out: string;
  /** Further programs that share the modules, as paths below the root. */
  readonly also?: readonly string[];
}

/**
 * Writes the program as few large files. Every module that is opened by its name keeps its place below `dist`: the
 * command line, the public entry points, threads and projections. Everything they share is in `dist/chunks`.
 */
export async function bundleProgram({ root, out, also = [] }: BundleOptions): Promise<void> {
  const entries = [...new Set([...namedModules(root), ...also])];
  await build({
    ...{ root, configFile: false, logLevel: "warn", publicDir: false },
    ssr: { noExternal: bundled },
    plugins: [keepPlaces(root)],
    build: {
      ...{ ssr: true, outDir: out, emptyOutDir: false, target: "node24", minify: false },
      rolldownOptions: {
        input: Object.fromEntries(entries.map((path) => [path.replace(/\.ts$/, ""), join(root, path)])),
        output: { format: "esm", entryFileNames: "[name].js", chunkFileNames: "chunks/[name]-[hash].js" },
      },
    },
  });
}

/** Returns every module that is opened by a name and not by an import. */
function namedModules(root: string): readonly string[] {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    exports: Record<string, string | { readonly default: string }>;
  };
  const doors = Object.values(exports).flatMap((door) =>
    typeof door === "string" ? [] : door.default.replace("./dist/", "").replace(/\.js$/, ".ts"),
  );
  const opened = globSync("src/**/*.ts", {
    cwd: root,
    exclude: ["**/*.test.ts", "src/connectors/_template/**"],
  }).flatMap((path) =>
    [...readFileSync(join(root, path), "utf8").matchAll(/moduleUrl\("([^"]+)", import\.meta\.url\)/g)].map(
      ([, name = ""]) => `${relative(root, resolve(root, dirname(path), name))}.ts`,
    ),
  );
  return ["src/cli/main.ts", "src/cli/process-terminal.ts", ...doors, ...opened].map((path) =>
    path.replaceAll(sep, "/"),
  );
}

/**
 * A module in a shared file must still find the files beside it, so each keeps the address that it would have alone.
 */
function keepPlaces(root: string): Plugin {
  return {
    name: "keep-places",
    enforce: "pre",
    transform: (code, id) => {
      const place = relative(root, id).replaceAll(sep, "/").replace(/\.ts$/, ".js");
      if (/^\.\.|node_modules/.test(place) || !code.includes("import.meta.")) return null;
      return code
        .replaceAll("import.meta.url", `__placeOf("${place}").href`)
        .replaceAll("import.meta.dirname", `__pathOf(__placeOf("${posix.dirname(place)}/"))`);
    },
    renderChunk: (code, { fileName }) => {
      if (!code.includes("__placeOf(")) return null;
      const up = "../".repeat(fileName.split("/").length - 1) || "./";
      const paths = code.includes("__pathOf(") ? 'import { fileURLToPath as __pathOf } from "node:url";\n' : "";
      return paths + code.replace(/__placeOf\("([^"]+)"\)/g, (_, place) => `new URL("${up}${place}", import.meta.url)`);
    },
  };
}
