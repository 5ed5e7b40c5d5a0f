import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { missingPiece, section, shownSteps } from "../support/adapter/walkthrough.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** The page for those who forward pushes, done as it says. */

const root = resolve(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/how-to/forward-to-the-platform.md"), "utf8");

/** Runs a shell in its own group of jobs, so that what the page puts into the background can be ended as it says. */
async function shell(script: string, folder: string): Promise<string> {
  const child = spawn("bash", ["-m", "-c", script], {
    cwd: folder,
    env: { PATH: `${join(root, "node_modules/.bin")}:${process.env["PATH"] ?? ""}`, CROSSDOCK_SAMPLE: "false" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk;
  });
  await once(child, "close");
  return output;
}

test("the page's order and cancellation reach the platform as it shows, and the receipt says so", async () => {
  const folder = temporaryFolder();
  for (const name of ["docs", "node_modules"]) symlinkSync(join(root, name), join(folder, name));
  const [, yaml = ""] = /^```yaml\n(.*?)^```$/ms.exec(section(page, "Configure")) ?? [];
  writeFileSync(join(folder, "crossdock.yaml"), yaml);
  const steps = shownSteps(section(page, "Try it"));
  // The ports of the page may be taken on this machine, and nobody sleeps who can look.
  const ready = "until curl -sf http://127.0.0.1:18080/health/live > /dev/null; do sleep 0.1; done";
  const sent = "until [ $(wc -l < platform.log) -ge 3 ]; do sleep 0.1; done";
  const script = steps
    .map(({ command }) => command)
    .join("\necho '--- next ---'\n")
    .replaceAll("127.0.0.1:8080", "127.0.0.1:18080")
    .replace("npx crossdock start", `PORT=18080 node ${join(root, "bin/crossdock.js")} start`)
    .replace("PORT=18080 node", "env PORT=18080 node")
    .replace("sleep 5", ready)
    .replace("sleep 1\n", `${sent}\n`);
  const printed = (await shell(script, folder)).split("--- next ---");
  expect(steps.length).toBe(2);
  for (const [index, { command, answer = "" }] of steps.entries()) {
    expect(missingPiece(answer, printed[index] ?? ""), `${command}\nprinted\n${printed[index]}`).toBeNull();
  }
});
