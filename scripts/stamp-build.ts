import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { buildStamp, buildStampFile } from "../src/app/version-info.ts";

/** Records the build time, because file times do not survive packing. */
const file = resolve(import.meta.dirname, "..", "dist", buildStampFile);
writeFileSync(file, `${JSON.stringify(buildStamp(process.env, Date.now()))}\n`);
