import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { missingForTracing } from "../../../chaos/harness/disks/machine-rights.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { hasFileModes, testIf } from "../../../test/support/test-if.ts";
import { replaceFile, replaceFileNow } from "./replace-file.ts";

const ways = [
  ["replaceFile", replaceFile],
  ["replaceFileNow", replaceFileNow],
] as const;

test.each(ways)("%s leaves the new text and nothing beside it", async (_, replace) => {
  const path = join(temporaryFolder(), "settings");
  for (const text of ["first", "second"]) await replace(path, text);
  expect(readFileSync(path, "utf8")).toBe("second");
  expect(readdirSync(join(path, ".."))).toEqual(["settings"]);
});

testIf(hasFileModes)("a new file is for its owner only, and a replaced one keeps its mode", async () => {
  for (const [, replace] of ways) {
    const path = join(temporaryFolder(), "settings");
    await replace(path, "first");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    chmodSync(path, 0o640);
    await replace(path, "second");
    expect(statSync(path).mode & 0o777).toBe(0o640);
  }
});

test("the bytes are synced before the file gets its name, and then its folder", async ({ skip }) => {
  const missing = missingForTracing();
  if (missing !== null) return skip(missing);
  for (const [name] of ways) {
    const folder = temporaryFolder();
    const [path, trace, script] = ["settings", "trace", "script.mjs"].map((one) => join(folder, one)) as [
      ...[string, string, string],
    ];
    const file = new URL("./replace-file.ts", import.meta.url).href;
    writeFileSync(script, `const { ${name} } = await import("${file}");\nawait ${name}("${path}", "text");\n`);
    const calls = "trace=fsync,fdatasync,/rename";
    execFileSync("strace", ["-f", "-y", "-o", trace, "-e", calls, process.execPath, script]);
    const steps = readFileSync(trace, "utf8")
      .split("\n")
      .filter((line) => line.includes(folder))
      .flatMap((line) => /(sync|rename)\w*\((?:.*<([^>]+)>\))?/.exec(line)?.slice(1, 3).join(" ").trim() ?? []);
    expect(steps).toEqual([`sync ${path}.new`, "rename", `sync ${folder}`]);
  }
});
