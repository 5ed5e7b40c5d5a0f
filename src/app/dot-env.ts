import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import type { Environment } from "./settings.ts";

/** Variables of a `.env` file in this folder; none where there is no such file. */
export function dotEnv(folder: string): Environment {
  try {
    return parseEnv(readFileSync(join(folder, ".env"), "utf8"));
  } catch {
    return {};
  }
}
