import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

/** Which room may import which; imports go down only. A room may always import itself. */
const mayImport: Record<string, readonly string[]> = {
  kit: [],
  contract: ["kit"],
  messages: ["kit"],
  sdk: ["contract", "messages", "kit"],
  journal: ["kit"],
  presets: ["sdk", "contract"],
  connectors: ["presets", "sdk", "contract", "messages", "kit", "journal/resident.ts"],
  engine: ["sdk", "contract", "messages", "kit", "journal"],
  http: ["engine", "sdk", "contract", "messages", "kit"],
  conformance: ["contract", "sdk", "kit", "journal"],
  simulator: ["contract", "kit"],
  "mock-erp": ["contract", "kit"],
  runtime: ["http", "engine", "connectors", "journal", "sdk", "contract", "messages", "kit", ...configuration()],
  app: ["runtime", "http", "engine", "connectors", "presets", "journal", "sdk", "contract", "messages", "kit"],
  cli: ["app", "conformance", "simulator", "mock-erp", "contract", "sdk", "messages", "kit"],
};

/** The configuration and what is made from it directly lie in `app`, below everything that opens something. */
function configuration(): string[] {
  const files = [
    ...["config-schema", "config-shape", "config-error", "load-config", "settings", "notebooks"],
    ...["check-connectors", "check-offers", "check-references", "deployment-warnings"],
    ...["forward/forward-connectors", "forward/forward-section"],
  ];
  return files.map((name) => `app/${name}.ts`);
}

const source = resolve(import.meta.dirname, "../src");
const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));

test.each(Object.keys(mayImport))("the room %s imports only what lies below it", (room) => {
  const allowed = [room, ...(mayImport[room] ?? [])];
  const strangers = files
    .filter((file) => file.startsWith(`${room}/`) && !file.endsWith(".test.ts"))
    .flatMap((file) =>
      importsOf(file)
        .filter((target) => !allowed.some((place) => target === place || target.startsWith(`${place}/`)))
        .map((target) => `${file} imports ${target}`),
    );
  expect(strangers).toEqual([]);
});

test("no connector imports a sibling", () => {
  const strangers = files
    .filter((file) => file.startsWith("connectors/") && file.split("/").length > 2)
    .flatMap((file) => {
      const own = file.split("/").slice(0, 2).join("/");
      return importsOf(file)
        .filter((target) => target.startsWith("connectors/") && !target.startsWith(`${own}/`))
        .map((target) => `${file} imports ${target}`);
    });
  expect(strangers).toEqual([]);
});

test("every folder of the source is a room of the table", () => {
  const rooms = new Set(files.map((file) => file.split("/")[0]));
  expect([...rooms].filter((room) => room !== undefined && !(room in mayImport))).toEqual([]);
});

function importsOf(file: string): string[] {
  const text = readFileSync(join(source, file), "utf8");
  return [...text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map((match) =>
    relative(source, resolve(source, dirname(file), match[1] ?? "")),
  );
}
