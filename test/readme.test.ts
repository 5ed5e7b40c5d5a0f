import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newFolder, removeFolder } from "./support/temporary-folder.ts";
import { missingPiece, runSteps, section, shownSteps } from "./support/walkthrough.ts";

const root = resolve(import.meta.dirname, "..");
const readme = readFileSync(join(root, "README.md"), "utf8");
const pushes = readFileSync(join(root, "docs/receive-pushes.md"), "utf8");
const [startStep, testStep] = shownSteps(section(readme, "Start"));

let folder: string;
let env: Record<string, string>;
let stop = async () => {};

beforeAll(async () => {
  // A checkout of its own as far as commands can tell; what they write stays out of ours.
  folder = newFolder();
  for (const name of ["package.json", "node_modules", "bin", "src"]) symlinkSync(join(root, name), join(folder, name));
  env = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? folder, PORT: String(await freePort()) };
  stop = await startAsWritten();
});
afterAll(async () => {
  await stop();
  removeFolder(folder);
});

test("the README's two commands install first and then start or test", () => {
  // Installing and testing themselves are left out here: the one needs the network, the other would run this test again.
  expect([startStep?.command.trim(), testStep?.command.trim()]).toEqual(["npm ci && npm start", "npm ci && npm test"]);
});

test("the README's tour works as written, and each answer is the one shown", async () => {
  const steps = shownSteps(section(readme, "Five-minute tour"));
  expect(steps.length).toBeGreaterThan(8);
  const answers = await runSteps(steps, { cwd: folder, env });
  for (const [index, { command, answer = "" }] of steps.entries()) {
    expect(missingPiece(answer, answers[index] ?? ""), `${command}\nprinted\n${answers[index]}`).toBeNull();
  }
  // Only the very first block, which sets the variables, has nothing to show.
  expect(steps.filter(({ answer }) => answer === undefined)).toEqual([steps[0]]);
});

test("the pushes in the documentation are accepted, unless an error is shown", async () => {
  const steps = shownSteps(pushes);
  const answers = await runSteps(steps, { cwd: folder, env });
  for (const [index, { command, answer }] of steps.entries()) {
    const printed = answers[index] ?? "";
    if (index === 0) expect(printed.trim()).toBe("");
    else if (answer === undefined) expect(printed, command).toMatch(/^(\s*\{"ids":\["evt_[^"]+"\]\})+\s*$/);
    else expect(missingPiece(answer, printed), `${command}\nprinted\n${printed}`).toBeNull();
  }
});

/** The start command without its installation, in the terminal that the tour leaves running. */
async function startAsWritten(): Promise<() => Promise<void>> {
  const command = startStep?.command.replace("npm ci && ", "") ?? "";
  // A group of its own: npm and its shell stand between us and the adapter.
  const child = spawn("bash", ["-c", command], { cwd: folder, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const closed = once(child, "close");
  let output = "";
  await new Promise<void>((started, failed) => {
    const read = (bytes: Buffer) => {
      output += bytes.toString();
      if (output.includes("Stop with")) started();
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("close", () => failed(new Error(`it ended before it had started:\n${output}`)));
  });
  return async () => {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
    await closed;
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return address.port;
}
