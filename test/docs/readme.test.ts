import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { freePort } from "../peers/free-port.ts";
import { missingPiece, runSteps, type ShownStep, section, shownSteps } from "../support/adapter/walkthrough.ts";
import { newFolder, removeFolder } from "../support/temporary-folder.ts";

const root = resolve(import.meta.dirname, "../..");
const readme = readFileSync(join(root, "README.md"), "utf8");
const tour = readFileSync(join(root, "docs/tutorial/first-tour.md"), "utf8");
const delivering = readFileSync(join(root, "docs/tutorial/deliver-events.md"), "utf8");
const pushes = readFileSync(join(root, "docs/how-to/receive-pushes.md"), "utf8");
const [startStep, testStep] = shownSteps(section(readme, "Start"));

let folder: string;
let env: Record<string, string>;
let stop = async () => {};

beforeAll(async () => {
  // A checkout of its own as far as commands can tell; what they write stays out of ours.
  folder = newFolder();
  for (const name of ["package.json", "node_modules", "bin", "src", "docs", "scripts"])
    symlinkSync(join(root, name), join(folder, name));
  env = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? folder, PORT: String(await freePort()) };
  stop = await startAdapter();
});
afterAll(async () => {
  await stop();
  removeFolder(folder);
});

test("the README's two commands install first and then start or test", () => {
  // Installing and testing themselves are left out here: the one needs the network, the other would run this test again.
  expect([startStep?.command.trim(), testStep?.command.trim()]).toEqual(["npm ci && npm start", "npm ci && npm test"]);
});

test("the README has at most 150 lines", () => {
  expect(readme.trimEnd().split("\n").length).toBeLessThanOrEqual(150);
});

test.each([
  { name: "the README's three steps work", steps: shownSteps(section(readme, "Three-step tour")), count: 4 },
  { name: "the five-minute tour works", steps: shownSteps(tour), count: 11 },
])("$name as written, and each answer is the one shown", async ({ steps, count }) => {
  expect(steps).toHaveLength(count);
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

test("events are delivered to the receiver of the tutorial as it says, and the journal shows it", async () => {
  const text = delivering;
  const shown = (language: string) =>
    [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, of, it = ""]) => (of === language ? [it] : []));
  const [receive = "", restart] = shown("sh");
  expect(restart).toBe(startStep?.command.replace("npm ci && ", ""));
  // A port of its own, so that two runs at the same time do not meet; all else is as written.
  const port = String(await freePort());
  const [config = ""] = shown("yaml");
  expect(config).toContain(":9000/");
  writeFileSync(join(folder, "crossdock.yaml"), config.replace(":9000/", `:${port}/`));
  const receiver = await startAsWritten(receive, { until: "waiting for events", more: { RECEIVER_PORT: port } });
  onTestFinished(receiver.stop);
  await stop();
  stop = await startAdapter();

  const [event, look] = shownSteps(text) as [ShownStep, ShownStep];
  const terminal = { cwd: folder, env: { ...env, URL: `http://127.0.0.1:${env["PORT"]}` } };
  expect(missingPiece(event.answer ?? "", (await runSteps([event], terminal))[0] ?? "")).toBeNull();
  const [printed = ""] = shown("log");
  const received = () => receiver.output().slice(Math.max(0, receiver.output().indexOf("crossdock.")));
  await vi.waitFor(() => expect(missingPiece(printed, received())).toBeNull(), { timeout: 60_000 });
  // The receiver has it a moment before the journal knows that it was delivered.
  await vi.waitFor(
    async () => {
      const [told = ""] = await runSteps([look], terminal);
      expect(missingPiece(look.answer ?? "", told), told).toBeNull();
    },
    { timeout: 60_000 },
  );
});

/** The start command without its installation, in the terminal that the tour leaves running. */
async function startAdapter(): Promise<() => Promise<void>> {
  const command = startStep?.command.replace("npm ci && ", "") ?? "";
  return (await startAsWritten(command, { until: "Stop with" })).stop;
}

/** Runs a command that keeps running, until it has printed what shows that it has started. */
async function startAsWritten(command: string, { until, more = {} }: { until: string; more?: Record<string, string> }) {
  // A group of its own: npm and its shell stand between us and the program.
  const child = spawn("bash", ["-c", command], {
    cwd: folder,
    env: { ...env, ...more },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const closed = once(child, "close");
  let output = "";
  await new Promise<void>((started, failed) => {
    const read = (bytes: Buffer) => {
      output += bytes.toString();
      if (output.includes(until)) started();
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("close", () => failed(new Error(`it ended before it had started:\n${output}`)));
  });
  return {
    output: () => output,
    stop: async () => {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
      await closed;
    },
  };
}
