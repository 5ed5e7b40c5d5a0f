import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { start } from "../../src/app/start.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { missingPiece, runSteps, type ShownStep, section, shownSteps } from "../support/adapter/walkthrough.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** The page for those who set up senders, done as it says. */

const page = readFileSync(resolve(import.meta.dirname, "../../docs/how-to/senders.md"), "utf8");
const secrets = {
  SHOP_SECRET: "shop-secret-0123456789",
  OFFICE_PASSWORD: "office password",
  SCANNER_SECRET: "scanner-secret-0123456789",
};

async function startIn(folder: string, file: string) {
  const env = { ...secrets, PORT: "0" };
  const { config, settings, describe } = await loadConfig({ file, env, cwd: folder });
  const adapter = await start({ config, describe, settings: { ...settings, apiKey: "key-of-the-adapter" } });
  onTestFinished(() => adapter.close());
  return { ...secrets, PATH: process.env["PATH"] ?? "", PORT: new URL(adapter.url).port };
}

function expectShown(steps: readonly ShownStep[], answers: readonly string[]) {
  for (const [index, { command, answer = "" }] of steps.entries()) {
    expect(missingPiece(answer, answers[index] ?? ""), `${command}\nprinted\n${answers[index]}`).toBeNull();
  }
}

test("senders of the page push as it shows", async () => {
  const folder = temporaryFolder();
  const [, yaml = ""] = /^```yaml\n(.*?)^```$/ms.exec(section(page, "Senders")) ?? [];
  writeFileSync(join(folder, "senders.yaml"), yaml);
  const steps = shownSteps(section(page, "Senders") + section(page, "Signatures"));
  const answers = await runSteps(steps, { cwd: folder, env: await startIn(folder, "senders.yaml") });
  expect(steps.length).toBe(4);
  expectShown(steps, answers);
});

test("certificates of the page are made and pushed with as it shows", async () => {
  const folder = temporaryFolder();
  const [making, pushing, ...more] = shownSteps(section(page, "Certificates"));
  if (making === undefined || pushing === undefined) throw new Error("the page has lost its steps");
  expect(more).toEqual([]);
  await runSteps([making], { cwd: folder, env: { PATH: process.env["PATH"] ?? "" } });
  const answers = await runSteps([pushing], { cwd: folder, env: await startIn(folder, "tls.yaml") });
  expectShown([pushing], answers);
});
