import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { freePort } from "../peers/free-port.ts";
import { missingPiece, runSteps, shownSteps } from "../support/adapter/walkthrough.ts";
import { builtProgram, compiled } from "../support/built-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = resolve(import.meta.dirname, "../..");

test("the page on the stand-in does what it shows: an adapter serves its orders, and the control works", async () => {
  const folder = temporaryFolder();
  const page = readFileSync(join(root, "docs/how-to/mock-erp.md"), "utf8");
  const ports = { "8090": String(await freePort()), "8080": String(await freePort()) };
  const steps = shownSteps(page).map(({ command, answer }) => ({
    answer,
    command: command.replace(/\b8090\b/g, ports["8090"]).replace(/\b8080\b/g, ports["8080"]),
  }));
  // In the folder of a reader `npx crossdock` is the installed one; here it is this checkout's.
  writeFileSync(join(folder, "npx"), `#!/bin/sh\nshift\nexec ${process.execPath} ${builtProgram()} "$@"\n`);
  chmodSync(join(folder, "npx"), 0o755);
  const env = { ...compiled(), PATH: `${folder}:${process.env["PATH"]}`, CROSSDOCK_API_KEY: "k" };
  const first = { answer: undefined, command: "trap 'kill $(jobs -p)' EXIT" };
  const [, ...answers] = await runSteps([first, ...steps], { cwd: folder, env });
  expect(steps.length).toBe(2);
  for (const [index, { command, answer = "" }] of steps.entries()) {
    expect(missingPiece(answer, answers[index] ?? ""), `${command}\nprinted\n${answers[index]}`).toBeNull();
  }
});
