import { dirname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Plugin } from "vite";
import type { VitestPluginContext } from "vitest/node";
import { builtFolder } from "./built-program.ts";

const root = resolve(import.meta.dirname, "../..");
const sources = `${join(root, "src")}/`;
/** Modules of users import the public doors, and share their instances with the sources. */
const left = join(sources, "connectors/module/load-definition.ts");

/** They take the threads of writers from another module than outside of tests. */
const startWriters = ["open-sqlite-journal", "writer-threads"].map((name) =>
  join(sources, `journal/sqlite/${name}.ts`),
);
const keptWriters = join(root, "test/support/kept-writers.ts");

const importsThem = (name: string, importer = "") => name === "./prepare-writer.ts" && startWriters.includes(importer);

const startsThreads = (id: string, code: string) =>
  id.startsWith(sources) && id !== left && code.includes("moduleUrl(");

/**
 * Lets an adapter that runs in a test start its threads from the bundled program, made from the same sources. Node loads
 * a thread from the sources module by module, each time anew: most of the processor time that a start takes in a test.
 */
export function bundledThreads(): Plugin & { readonly configureVitest: (context: VitestPluginContext) => void } {
  return {
    name: "bundled-threads",
    enforce: "pre",
    resolveId: (name, importer) => (importsThem(name, importer) ? keptWriters : null),
    // Transformed modules are kept on disk and name the folder, which is another one after any change of the sources.
    configureVitest: ({ defineCacheKeyGenerator }) => {
      defineCacheKeyGenerator(({ id, sourceCode }) =>
        startsThreads(id, sourceCode) ? builtFolder() : startWriters.includes(id) ? keptWriters : undefined,
      );
    },
    transform: (code, id) => {
      if (!startsThreads(id, code)) return null;
      return code.replace(/moduleUrl\("([^"]+)", import\.meta\.url\)/g, (_, name: string) => {
        const place = relative(root, resolve(dirname(id), name));
        return `new URL(${JSON.stringify(pathToFileURL(join(builtFolder(), "dist", `${place}.js`)).href)})`;
      });
    },
  };
}
