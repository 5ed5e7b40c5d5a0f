import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { brotliCompressSync } from "node:zlib";

const given = process.argv.slice(2);
if (given.some((one) => one === "--help" || one === "-h")) {
  console.log(`npm run build:console -- [options]

Builds the web console from console/ into dist/console, with a compressed copy of each file. npm ci does it by itself.

  --if-needed  does nothing where it is built already, or the tools for it are not installed, as after npm ci --omit=dev`);
  process.exit(0);
}

const root = resolve(import.meta.dirname, "..");
const isPossible = existsSync(join(root, "node_modules/vite")) && existsSync(join(root, "node_modules/preact"));
const isIfNeeded = given.includes("--if-needed");
if (isIfNeeded && !isPossible) {
  console.log("the console is not built: its tools are not installed");
} else if (!isIfNeeded || !isFresh()) {
  const { build } = await import("vite");
  await build({ configFile: join(root, "console/vite.config.ts"), logLevel: "warn" });
  const assets = join(root, "dist/console/assets");
  for (const name of readdirSync(assets).filter((one) => /\.(js|css|svg)$/.test(one))) {
    writeFileSync(join(assets, `${name}.br`), brotliCompressSync(readFileSync(join(assets, name))));
  }
}

/**
 * Whether the built console is up to date. npm runs this script for every new place that refers to this folder, and a
 * running adapter must not lose its files each time.
 */
function isFresh(): boolean {
  const built = statSync(join(root, "dist/console/index.html"), { throwIfNoEntry: false });
  if (built === undefined) return false;
  const sources = ["console", "src/messages"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  );
  return sources.every((name) => statSync(join(root, name)).mtimeMs <= built.mtimeMs);
}
