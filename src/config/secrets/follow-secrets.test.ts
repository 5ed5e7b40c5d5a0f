import { renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { testIf } from "../../../test/support/test-if.ts";
import { manualClock } from "../../kit/time/clock.ts";
import { manualTimers } from "../../kit/time/timers.ts";
import { followSecrets, type SecretSources } from "./follow-secrets.ts";
import type { SecretAnswer } from "./secret-commands.ts";

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
    const { timers, state, stop } = follow({ files: [file], commands: [] });
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
  const { timers, state, stop } = follow({ files: [], commands: ["exec:/bin/x"] });
  state.answer = { problem: "no network", hint: "" };
  await timers.pass(600_000);
  expect(state.changes).toBe(0);
  state.answer = { text: "one" };
  await timers.pass(600_000);
  expect(state.changes).toBe(0);
  state.answer = { text: "two" };
  await timers.pass(600_000);
  expect(state.changes).toBe(1);
  stop();
});

test("a file that a new configuration names for the first time is not a change", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "a"), "one");
  const { timers, state, stop } = follow({ files: [], commands: [] });
  await timers.pass(10_000);
  state.sources = { files: [join(folder, "a")], commands: [] };
  await timers.pass(30_000);
  expect(state.changes).toBe(0);
  stop();
});
