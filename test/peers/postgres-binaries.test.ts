import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";

test("a script that has used PostgreSQL ends with the code that it set", () => {
  const module = JSON.stringify(join(import.meta.dirname, "postgres-binaries.ts"));
  const script = `import { postgresBinaries } from ${module};
    await postgresBinaries(${JSON.stringify(temporaryFolder())});
    process.exitCode = 3;`;
  const options = { cwd: import.meta.dirname, encoding: "utf8", env: { ...process.env, NODE_OPTIONS: "" } } as const;
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], options);
  expect([status, stderr]).toEqual([3, ""]);
});
