import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";
import { readCode } from "../../scripts/code/read-code.ts";

const code = new Map(readCode().map(({ path, text }) => [path, text]));
const imports = /(?:^|\n)(?:import|export)\s+(?!type\s)([^"';]*?)from\s+"([^"]+)"/g;

/** What a module loads when it runs: imports of types alone are gone by then. */
function loadedBy(path: string): string[] {
  const isOfTypes = (names: string) => /^\{(\s*type\s+\w+\s*,?)+\s*\}\s*$/.test(names);
  return [...(code.get(path) ?? "").matchAll(imports)].flatMap(([, names = "", from = ""]) =>
    isOfTypes(names) ? [] : from,
  );
}

test.each([
  ["the writer", "journal/sqlite/writer/writer-worker.ts"],
  ["the store in the writer's thread", "store/store-projection.ts"],
  ["the connection to PostgreSQL", "replication/link/replica.ts"],
])("%s does not load the schema library, which would delay every start", (_, entry) => {
  expect(code.has(entry)).toBe(true);
  const seen = new Map<string, string>([[entry, ""]]);
  for (const path of seen.keys()) {
    for (const from of loadedBy(path)) {
      const target = from.startsWith(".") ? normalize(join(dirname(path), from)) : from;
      if (!seen.has(target)) seen.set(target, path);
    }
  }
  expect([...seen].filter(([path]) => path.startsWith("typebox"))).toEqual([]);
});
