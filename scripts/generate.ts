import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { configJsonSchema } from "../src/config/config-json-schema.ts";
import { configReference } from "../src/config/config-reference.ts";
import { derivedReference } from "../src/contract/derive/derived-reference.ts";
import { openApi } from "../src/contract/derive/openapi.ts";
import { reference } from "../src/contract/derive/reference.ts";
import { logReference } from "../src/messages/log/log-reference.ts";
import { apiPages } from "./api/api-pages.ts";
import { readDoors } from "./api/doors.ts";
import { stabilityPage } from "./api/stability.ts";
import { readCode } from "./code/read-code.ts";
import { readRooms, roomsDiagram } from "./diagrams/rooms-diagram.ts";

if (process.argv.slice(2).some((given) => given === "--help" || given === "-h")) {
  console.log(`npm run generate -- [options]

Writes the files that are generated from code: contract, configuration, schemas, API pages, stability, picture of the rooms.

  --check  writes nothing, and fails if one of them is stale`);
  process.exit(0);
}

/** Writes the files that are generated from code. `--check` writes nothing and fails if one is stale. */
const root = resolve(import.meta.dirname, "..");
const { version } = JSON.parse(readFileSync(resolve(root, "package.json"), "utf8")) as { version: string };

const doors = readDoors(root);
const generated: Readonly<Record<string, () => string>> = {
  "docs/reference/openapi.json": () => `${JSON.stringify(openApi({ version }), null, 2)}\n`,
  "docs/reference/contract.md": () => reference(),
  "docs/reference/derived-events.md": () => derivedReference(),
  "docs/reference/log-messages.md": () => logReference(),
  "docs/reference/crossdock.schema.json": () => `${JSON.stringify(configJsonSchema(), null, 2)}\n`,
  "docs/reference/configuration.md": () => configReference(),
  "docs/pictures/rooms.svg": () => roomsDiagram(readRooms(textOf("docs/explanation/architecture.md"), readCode())),
  "docs/reference/stability.md": () => stabilityPage(doors),
  ...Object.fromEntries(
    Object.entries(apiPages(doors)).map(([page, text]) => [`docs/reference/api/${page}`, () => text]),
  ),
};

function textOf(file: string): string {
  return readFileSync(resolve(root, file), "utf8").replaceAll("\r\n", "\n");
}

const isCheck = process.argv.includes("--check");
const stale = Object.entries(generated).filter(([file, make]) => {
  const path = resolve(root, file);
  const text = make();
  if (contentOf(path) === text) return false;
  if (!isCheck) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return true;
});

for (const [file] of stale) {
  console.log(isCheck ? `${file} is stale; run: npm run generate` : `${file} written`);
}
if (stale.length === 0) console.log("all generated files are up to date");
if (isCheck && stale.length > 0) process.exitCode = 1;

function contentOf(path: string): string | null {
  try {
    // A checkout on Windows may have changed the line endings.
    return readFileSync(path, "utf8").replaceAll("\r\n", "\n");
  } catch {
    return null;
  }
}
