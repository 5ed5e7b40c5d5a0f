import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { hasFileModes } from "../../../test/support/test-if.ts";
import type { Terminal } from "../command.ts";
import { main } from "../main.ts";

async function run(cwd: string, argv: string[], env: Record<string, string> = {}) {
  const out: string[] = [];
  const errors: string[] = [];
  const terminal: Terminal = {
    print: (text) => out.push(text),
    complain: (text) => errors.push(text),
    isInteractive: false,
    colour: false,
    env,
    cwd,
    untilStopped: () => Promise.resolve("SIGTERM"),
  };
  return { code: await main(["config", "upgrade", ...argv], terminal), out: out.join("\n"), errors: errors.join("\n") };
}

const old = "# Mine\norders:\n  invalid: refuse # all or nothing\ntimeZone: UTC\n";
const now = "# Mine\norders:\n  badRecords: refuse # all or nothing\ntimeZone: UTC\n";

function withFile(text: string, name = "crossdock.yaml") {
  const folder = temporaryFolder();
  const file = join(folder, name);
  writeFileSync(file, text, { mode: 0o640 });
  return { folder, file };
}

test("an old file is rewritten with its comments and rights, and kept beside it", async () => {
  const { folder, file } = withFile(old);
  const { code, out } = await run(folder, []);
  expect(code).toBe(0);
  expect(out).toBe(`1 setting was rewritten in ${file}; before: ${file}.bak`);
  expect(readFileSync(file, "utf8")).toBe(now);
  expect(readFileSync(`${file}.bak`, "utf8")).toBe(old);
  if (hasFileModes) expect(statSync(file).mode & 0o777).toBe(0o640);
});

test("an earlier backup is never written over", async () => {
  const { folder, file } = withFile(old);
  writeFileSync(`${file}.bak`, "an earlier one");
  expect((await run(folder, [])).out).toContain(`before: ${file}.bak.2`);
  expect(readFileSync(`${file}.bak`, "utf8")).toBe("an earlier one");
});

test("a file in the current spelling is left alone, without a backup", async () => {
  const { folder, file } = withFile(now);
  const { code, out } = await run(folder, []);
  expect([code, out]).toEqual([0, `${file} is in the current spelling; nothing was changed.`]);
  expect(existsSync(`${file}.bak`)).toBe(false);
});

test("a dry run prints the lines that would change, changes nothing, and says by its exit code that there is something to do", async () => {
  const { folder, file } = withFile(old, "mine.yaml");
  const { code, out } = await run(folder, ["--dry-run", "mine.yaml"]);
  expect(code).toBe(1);
  expect(out.split("\n")).toEqual([
    "@@ 1",
    "  # Mine",
    "  orders:",
    "-   invalid: refuse # all or nothing",
    "+   badRecords: refuse # all or nothing",
    "  timeZone: UTC",
    "",
  ]);
  expect(readFileSync(file, "utf8")).toBe(old);
  expect(existsSync(`${file}.bak`)).toBe(false);
});

test("without a file name, the file that the program would start with is used", async () => {
  const { folder, file } = withFile(old, "other.yaml");
  expect((await run(folder, [], { CROSSDOCK_CONFIG: "other.yaml" })).code).toBe(0);
  expect(readFileSync(file, "utf8")).toBe(now);
});

test("a setting that only a person can decide is reported with its line, and the rest is rewritten", async () => {
  const two = "connectors:\n  erp: { type: http, auth: { bearer: {}, basic: {} } }\n";
  const { folder, file } = withFile(`${old}${two}`);
  const { code, out } = await run(folder, []);
  expect(code).toBe(1);
  expect(out).toContain(
    "6:30: connectors.erp.auth.bearer has to be rewritten by hand: write auth: { kind: bearer, … }",
  );
  expect(readFileSync(file, "utf8")).toBe(`${now}${two}`);
});

test("a file that is missing or is not YAML is reported with what to do, and nothing is written", async () => {
  const missing = await run(temporaryFolder(), []);
  expect([missing.code, missing.errors]).toEqual([1, expect.stringContaining("crossdock config upgrade FILE")]);
  const { folder, file } = withFile('orders: { invalid: "refuse }\n');
  const broken = await run(folder, []);
  expect([broken.code, broken.errors]).toEqual([3, expect.stringContaining("crossdock.yaml:1:20")]);
  expect(existsSync(`${file}.bak`)).toBe(false);
});
