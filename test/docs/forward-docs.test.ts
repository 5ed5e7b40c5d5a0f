import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { freePort } from "../peers/free-port.ts";
import { missingPiece, section, shownSteps } from "../support/adapter/walkthrough.ts";
import { builtProgram, compiled } from "../support/built-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** The page for those who forward pushes, done as it says. */

const root = resolve(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/how-to/forward-to-the-platform.md"), "utf8");

/** Runs a shell in its own group of jobs, so that what the page puts into the background can be ended as it says. */
async function shell(script: string, folder: string): Promise<string> {
  const child = spawn("bash", ["-m", "-c", script], {
    cwd: folder,
    env: {
      ...compiled(),
      PATH: `${join(root, "node_modules/.bin")}:${process.env["PATH"] ?? ""}`,
      CROSSDOCK_SAMPLE: "false",
    },
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
  // The ports of the page may be taken on this machine.
  const [port, platform] = [await freePort(), await freePort()];
  writeFileSync(join(folder, "crossdock.yaml"), yaml.replaceAll(":9100/", `:${platform}/`));
  const steps = shownSteps(section(page, "Try it"));
  // Nobody sleeps who can look. Without the platform the first attempt would fail, and the page shows one attempt.
  const live = `curl -sf http://127.0.0.1:${port}/health/live > /dev/null`;
  const ready = `until [ -s platform.log ] && ${live}; do sleep 0.1; done`;
  const sent = "until [ $(wc -l < platform.log) -ge 3 ]; do sleep 0.1; done";
  const script = steps
    .map(({ command }) => command)
    .join("\necho '--- next ---'\n")
    .replaceAll("127.0.0.1:8080", `127.0.0.1:${port}`)
    .replace("node docs", `PLATFORM_PORT=${platform} node docs`)
    .replace("npx crossdock start", `env PORT=${port} node ${builtProgram()} start`)
    .replace("sleep 5", ready)
    .replace("sleep 1\n", `${sent}\n`);
  const printed = (await shell(script, folder)).replaceAll(`:${platform}`, ":9100").split("--- next ---");
  expect(steps.length).toBe(2);
  for (const [index, { command, answer = "" }] of steps.entries()) {
    expect(missingPiece(answer, printed[index] ?? ""), `${command}\nprinted\n${printed[index]}`).toBeNull();
  }
});
