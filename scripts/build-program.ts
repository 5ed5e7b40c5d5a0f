import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildStamp, buildStampFile } from "../src/app/version-info.ts";
import { bundleProgram } from "./package/bundle-program.ts";

const { values } = parseArgs({
  options: {
    out: { type: "string", default: "dist" },
    also: { type: "string", multiple: true, default: [] },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (values.help) {
  console.log(`node scripts/build-program.ts [options]

Writes the program that the package brings into dist: a few large files instead of hundreds of modules.

  --out FOLDER  where it goes (dist)
  --also FILE   one more program, which shares its modules`);
} else {
  const root = resolve(import.meta.dirname, "..");
  const out = resolve(root, values.out);
  await bundleProgram({ root, out, also: values.also });
  // Records the build time, because file times do not survive packing.
  writeFileSync(join(out, buildStampFile), `${JSON.stringify(buildStamp(process.env, Date.now()))}\n`);
}
