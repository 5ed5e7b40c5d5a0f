import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { testIf } from "../../test/support/test-if.ts";
import { readAdapterFile, writeAdapterFile } from "./adapter-file.ts";

const url = "http://127.0.0.1:8080";

test("the adapter of a folder is found while its process runs, and not after it was killed", async () => {
  const folder = temporaryFolder();
  const other = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  await once(other, "spawn");
  const pid = other.pid ?? 0;
  writeAdapterFile(folder, { url, pid });
  expect(readAdapterFile(folder)).toEqual({ url, pid });
  other.kill("SIGKILL");
  await once(other, "exit");
  expect(readAdapterFile(folder)).toBeNull();
});

testIf(process.platform === "linux")(
  "a process that only has the number of a killed adapter is not taken for it",
  () => {
    const folder = temporaryFolder();
    writeAdapterFile(folder, { url, pid: process.pid });
    const file = join(folder, "adapter.json");
    const { began } = JSON.parse(readFileSync(file, "utf8")) as { began: string };
    expect(began).toMatch(/^\d+$/);
    writeFileSync(file, JSON.stringify({ url, pid: process.pid, began: String(Number(began) - 1) }));
    expect(readAdapterFile(folder)).toBeNull();
  },
);

test("the file of a version that did not write when it began is still read", () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "adapter.json"), JSON.stringify({ url, pid: process.pid }));
  expect(readAdapterFile(folder)).toEqual({ url, pid: process.pid });
});
