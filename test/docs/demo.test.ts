import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { removeFolder } from "../support/temporary-folder.ts";

const root = resolve(import.meta.dirname, "../..");

/** The demo in a temporary folder of its own, piped. */
function demo() {
  const folder = mkdtempSync(join(tmpdir(), "crossdock-"));
  onTestFinished(() => removeFolder(folder));
  const child = spawn(process.execPath, ["scripts/demo.ts"], {
    ...{ cwd: root, env: { ...process.env, TMPDIR: folder }, stdio: ["ignore", "pipe", "pipe"] },
  });
  let output = "";
  const begun = new Promise<void>((resolve) => {
    const read = (bytes: Buffer) => {
      output += bytes.toString();
      if (output.includes("orders;")) resolve();
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
  });
  const closed = once(child, "close") as Promise<[number | null]>;
  return { child, begun, closed, output: () => output, left: () => readdirSync(folder) };
}

test("piped, the demo plays a short shift: the ERP goes down in the middle, and has all of it in the end", async () => {
  const { closed, output, left } = demo();
  const [code] = await closed;
  expect([code, output()]).toEqual([0, expect.stringContaining("the ERP has booked what the floor has picked")]);
  expect(left()).toEqual([]);
});

test("a demo that is stopped leaves nothing behind", async () => {
  const { child, begun, closed, output, left } = demo();
  await begun;
  child.kill("SIGINT");
  const [code] = await closed;
  expect([code, output()]).toEqual([0, expect.stringContaining("all is cleaned up")]);
  expect(left()).toEqual([]);
});
