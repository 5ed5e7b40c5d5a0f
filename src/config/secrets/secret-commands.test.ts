import { execFileSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { testIf } from "../../../test/support/test-if.ts";
import { manualClock } from "../../kit/time/clock.ts";
import { manualTimers } from "../../kit/time/timers.ts";
import { runProgram } from "./run-program.ts";
import { commandTextsIn, secretCommands } from "./secret-commands.ts";

const env = { CROSSDOCK_SECRET_PROGRAMS: "/usr/bin/vault, /usr/bin/aws" };

function commands(answers: Record<string, string> = {}) {
  const calls: string[][] = [];
  const time = { passed: 0 };
  const read = secretCommands(env, {
    passed: () => time.passed,
    run: async (program, args) => {
      calls.push([program, ...args]);
      const answer = answers[args.at(-1) ?? ""];
      if (answer === undefined) throw new Error("permission\n denied");
      return answer;
    },
  }).read;
  return { read, calls, time };
}

test("a command gets its words without a shell, and its output without the last line break is the secret", async () => {
  const { read, calls } = commands({ "secret/my erp": "hunter2\n" });
  const text = `exec:/usr/bin/vault kv get -field=token 'secret/my erp'`;
  expect(await read([text, text])).toEqual(new Map([[text, { text: "hunter2" }]]));
  expect(calls).toEqual([["/usr/bin/vault", "kv", "get", "-field=token", "secret/my erp"]]);
});

test.each(["exec:/bin/sh -c id", "exec:vault kv get x", "exec:"])(
  "%s is not run, because the environment does not name its program",
  async (text) => {
    const { read, calls } = commands();
    expect([...(await read([text])).values()]).toEqual([
      {
        problem: expect.stringContaining("may not be run"),
        hint: expect.stringContaining("CROSSDOCK_SECRET_PROGRAMS"),
      },
    ]);
    expect(calls).toEqual([]);
  },
);

test("an answer is kept for half a minute, a failure is not", async () => {
  const { read, calls, time } = commands({ good: "hunter2" });
  const texts = ["exec:/usr/bin/aws good", "exec:/usr/bin/aws bad"];
  const answer = { problem: "/usr/bin/aws failed: permission denied", hint: expect.any(String) };
  expect((await read(texts)).get(texts[1] ?? "")).toEqual(answer);
  await read(texts);
  expect(calls.map(([, name]) => name)).toEqual(["good", "bad", "bad"]);
  time.passed = 30_000;
  await read(texts);
  expect(calls.length).toBe(5);
  await read(texts, true);
  expect(calls.length).toBe(7);
});

test("a program that prints nothing gives no secret", async () => {
  const { read } = commands({ empty: "\n" });
  expect([...(await read(["exec:/usr/bin/aws empty"])).values()]).toEqual([
    { problem: "/usr/bin/aws printed nothing", hint: expect.any(String) },
  ]);
});

test("commands are found at any depth of a configuration", () => {
  expect(commandTextsIn({ a: [{ token: "exec:/bin/x y" }], b: "file:exec:", c: 1, d: null })).toEqual([
    "exec:/bin/x y",
  ]);
});

testIf(process.platform !== "win32")("a real program is run with the environment of the adapter", async () => {
  const program = join(temporaryFolder(), "secret");
  writeFileSync(program, '#!/bin/sh\nread -r line\necho "$PREFIX-$1$line"\n');
  chmodSync(program, 0o755);
  const given = { CROSSDOCK_SECRET_PROGRAMS: program, PREFIX: "erp" };
  expect((await secretCommands(given).read([`exec:${program} token`])).get(`exec:${program} token`)).toEqual({
    text: "erp-token",
  });
});

testIf(process.platform !== "win32")("a program that fails says why, and what it was given is masked", async () => {
  const program = join(temporaryFolder(), "secret");
  const cases = [
    "said) echo half-a-secret; echo 'denied for token=s3cr3t-token' >&2; exit 2;;",
    "mute) echo half-a-secret; exit 3;;",
    "killed) kill -15 $$;;",
    "long) head -c 70000 /dev/zero;;",
  ];
  writeFileSync(program, `#!/bin/sh\ncase "$1" in\n${cases.join("\n")}\nesac\n`);
  chmodSync(program, 0o755);
  const texts = ["said", "mute", "killed", "long"].map((word) => `exec:${program} ${word}`);
  const answers = await secretCommands({ ...process.env, CROSSDOCK_SECRET_PROGRAMS: program }).read(texts);
  expect([...answers.values()]).toMatchObject([
    { problem: `${program} failed: denied for token=***` },
    { problem: `${program} failed: it ended with exit code 3` },
    { problem: `${program} failed: it was ended by SIGTERM` },
    { problem: `${program} failed: it printed more than 64 KiB` },
  ]);
});

testIf(process.platform !== "win32")(
  "a program without an answer in time is ended together with what it has started",
  async () => {
    const folder = temporaryFolder();
    const [program, pipe] = [join(folder, "secret"), join(folder, "pipe")];
    // The started one holds the pipe open, so the pipe's end shows the end of it.
    writeFileSync(program, "#!/bin/sh\nsleep 30 >$1 &\nwait\n");
    chmodSync(program, 0o755);
    execFileSync("mkfifo", [pipe]);
    const timers = manualTimers(manualClock());
    const run = runProgram(process.env, timers);
    const answers = secretCommands({ CROSSDOCK_SECRET_PROGRAMS: program }, { run }).read([`exec:${program} ${pipe}`]);
    const reading = await open(pipe);
    await timers.pass(10_000);
    expect([...(await answers).values()]).toMatchObject([
      { problem: `${program} failed: no answer within 10 seconds` },
    ]);
    expect(await reading.readFile("utf8")).toBe("");
    await reading.close();
  },
);
