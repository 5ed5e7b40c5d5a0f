import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { buildStamp, buildStampFile } from "../src/app/version-info.ts";

/** Writes down when the build was made: file times do not survive the packing. */
const file = resolve(import.meta.dirname, "..", "dist", buildStampFile);
writeFileSync(file, `${JSON.stringify(buildStamp(process.env, Date.now()))}\n`);
