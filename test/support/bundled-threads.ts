import { dirname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Plugin } from "vite";
import { builtFolder } from "./built-program.ts";

const root = resolve(import.meta.dirname, "../..");
const sources = `${join(root, "src")}/`;
/** Modules of users import the public doors, and share their instances with the sources. */
const left = join(sources, "connectors/module/connector.ts");

/**
 * Lets an adapter that runs in a test start its threads from the bundled program, made from the same sources. Node loads
 * a thread from the sources module by module, each time anew: most of the processor time that a start takes in a test.
 */
export function bundledThreads(): Plugin {
  return {
    name: "bundled-threads",
    enforce: "pre",
    transform: (code, id) => {
      if (!id.startsWith(sources) || id === left || !code.includes("moduleUrl(")) return null;
      return code.replace(/moduleUrl\("([^"]+)", import\.meta\.url\)/g, (_, name: string) => {
        const place = relative(root, resolve(dirname(id), name));
        return `new URL(${JSON.stringify(pathToFileURL(join(builtFolder(), "dist", `${place}.js`)).href)})`;
      });
    },
  };
}
