import { renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { testIf } from "../../../test/support/test-if.ts";
import { manualClock } from "../../kit/time/clock.ts";
import { manualTimers } from "../../kit/time/timers.ts";
import { fileStamp, followSecrets, type SecretSources } from "./follow-secrets.ts";
import type { SecretAnswer } from "./secret-commands.ts";

/** Sources as a configuration has them that was read at this moment. */
const readNow = ({ files = [], command }: { files?: readonly string[]; command?: string }): SecretSources => ({
  files,
  commands: command === undefined ? [] : ["exec:/bin/x"],
  asRead: new Map([
    ...files.map((file) => [file, fileStamp(file)] as const),
    ...(command === undefined ? [] : [["exec:/bin/x", command] as const]),
  ]),
});

/** The configuration in use stays the same, as after one that was refused, until a test replaces it. */
function follow(first: SecretSources) {
  const timers = manualTimers(manualClock());
  const state = { sources: first, changes: 0, answer: { text: "one" } as SecretAnswer };
  const stop = followSecrets({
    timers,
    sources: () => state.sources,
    commands: { read: async (texts) => new Map(texts.map((text) => [text, state.answer])) },
    onChanged: () => {
      state.changes++;
    },
  });
  return { timers, state, stop };
}

testIf(process.platform !== "win32")(
  "a secret file that is replaced behind a link, as Kubernetes does, is noticed once",
  async () => {
    const folder = temporaryFolder();
    const [file, next] = [join(folder, "token"), join(folder, "next")];
    writeFileSync(join(folder, "a"), "one");
    writeFileSync(join(folder, "b"), "two");
    symlinkSync("a", file);
    const { timers, state, stop } = follow(readNow({ files: [file] }));
    await timers.pass(30_000);
    expect(state.changes).toBe(0);
    symlinkSync("b", next);
    renameSync(next, file);
    await timers.pass(30_000);
    expect(state.changes).toBe(1);
    stop();
    expect(timers.count()).toBe(0);
  },
);

test("a command that prints another secret is noticed; one that fails changes nothing", async () => {
  const { timers, state, stop } = follow(readNow({ command: "one" }));
  state.answer = { problem: "no network", hint: "" };
  await timers.pass(600_000);
  expect(state.changes).toBe(0);
  state.answer = { text: "one" };
  await timers.pass(600_000);
  expect(state.changes).toBe(0);
  state.answer = { text: "two" };
  await timers.pass(300_000);
  expect(state.changes).toBe(1);
  state.sources = readNow({ command: "two" });
  await timers.pass(600_000);
  expect(state.changes).toBe(1);
  stop();
});

test("a file that a new configuration names for the first time is not a change", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "a"), "one");
  const { timers, state, stop } = follow(readNow({}));
  await timers.pass(10_000);
  state.sources = readNow({ files: [join(folder, "a")] });
  await timers.pass(30_000);
  expect(state.changes).toBe(0);
  stop();
});

test("a secret that was replaced after the configuration was read, and before it was looked at, is noticed", async () => {
  const file = join(temporaryFolder(), "token");
  writeFileSync(file, "one");
  const { timers, state, stop } = follow(readNow({}));
  await timers.pass(10_000);
  // A reload names them for the first time.
  state.sources = readNow({ files: [file], command: "one" });
  writeFileSync(file, "other");
  await timers.pass(10_000);
  expect(state.changes).toBe(1);
  state.sources = readNow({ files: [file], command: "one" });
  state.answer = { text: "other" };
  await timers.pass(300_000);
  expect(state.changes).toBe(2);
  stop();
});

test("a replaced secret whose configuration was refused is tried again, but not every time", async () => {
  const file = join(temporaryFolder(), "token");
  writeFileSync(file, "one");
  const { timers, state, stop } = follow(readNow({ files: [file] }));
  writeFileSync(file, "other");
  await timers.pass(200_000);
  expect(state.changes).toBe(1);
  await timers.pass(300_000);
  expect(state.changes).toBe(2);
  writeFileSync(file, "another");
  await timers.pass(10_000);
  expect(state.changes).toBe(3);
  stop();
});
