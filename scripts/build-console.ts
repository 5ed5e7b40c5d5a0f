import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { brotliCompressSync } from "node:zlib";

const given = process.argv.slice(2);
if (given.some((one) => one === "--help" || one === "-h")) {
  console.log(`npm run build:console -- [options]

Builds the web console from console/ into dist/console, with a compressed copy of each file. npm ci does it by itself.

  --if-possible  does nothing where the tools for it are not installed, as after npm ci --omit=dev`);
  process.exit(0);
}

const root = resolve(import.meta.dirname, "..");
const isPossible = existsSync(join(root, "node_modules/vite")) && existsSync(join(root, "node_modules/preact"));
if (!isPossible && given.includes("--if-possible")) {
  console.log("the console is not built: its tools are not installed");
} else {
  const { build } = await import("vite");
  await build({ configFile: join(root, "console/vite.config.ts"), logLevel: "warn" });
  const assets = join(root, "dist/console/assets");
  for (const name of readdirSync(assets).filter((one) => /\.(js|css|svg)$/.test(one))) {
    writeFileSync(join(assets, `${name}.br`), brotliCompressSync(readFileSync(join(assets, name))));
  }
}
