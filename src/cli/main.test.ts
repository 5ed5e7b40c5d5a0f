import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { ConfigError } from "../config/document/config-error.ts";
import { openSqliteJournal } from "../journal/sqlite/open-sqlite-journal.ts";
import { holdInstanceLock } from "../journal/sqlite/writer/durability.ts";
import type { Terminal } from "./command.ts";
import { main } from "./main.ts";
import { startFailure } from "./start-failure.ts";

function terminal(env: Record<string, string> = {}) {
  const out: string[] = [];
  const errors: string[] = [];
  const fake: Terminal = {
    print: (text) => out.push(text),
    complain: (text) => errors.push(text),
    isInteractive: false,
    colour: false,
    env,
    cwd: "/nowhere",
    untilStopped: () => Promise.resolve("SIGTERM"),
  };
  return { fake, out: () => out.join("\n"), errors: () => errors.join("\n") };
}

async function run(argv: string[], env?: Record<string, string>) {
  const { fake, out, errors } = terminal(env);
  const code = await main(argv, fake);
  return { code, out: out(), errors: errors() };
}

test.each([[[]], [["--help"]]])("%j lists the commands, where to read on and the exit codes", async (argv) => {
  const { code, out, errors } = await run(argv);
  expect(code).toBe(0);
  expect(errors).toBe("");
  for (const part of [
    "start",
    "init",
    "config",
    "check",
    "conform",
    "new",
    "import",
    "journal",
    "openapi",
    "crossdock start --help",
    "Exit codes:",
  ])
    expect(out).toContain(part);
});

const journalCommands = ["list", "show", "timeline", "explain", "retry", "edit", "skip", "replay", "export"];
test.each([
  "start",
  "init",
  "check",
  "conform",
  "new connector",
  "import",
  "openapi",
  "config upgrade",
  ...journalCommands.map((name) => `journal ${name}`),
])("%s --help shows usage, options and examples", async (name) => {
  const { code, out } = await run([...name.split(" "), "--help"]);
  expect(code).toBe(0);
  expect(out).toContain(`Usage: crossdock ${name}`);
  expect(out).toContain("--help");
  expect(out).toContain("Examples:");
  expect(out).toContain(`crossdock ${name}`);
  expect(out).toContain("Exit codes:");
});

test("--version prints the version alone", async () => {
  expect(await run(["--version"])).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+/), errors: "" });
});

test.each([
  ["journal", "retry", ""],
  ["journal", "skip", "", "--reason", "x"],
  ["support-bundle", ""],
])("an argument that came out empty is refused, and not taken for an absent one: %j %j", async (...argv) => {
  const { code, errors } = await run(argv);
  expect(code).toBe(2);
  expect(errors).toMatch(/^crossdock: the argument '\w+' is empty\nNext: crossdock .* --help$/);
});

test("an unknown option is an error that names the nearest one and what to do next", async () => {
  const { code, out, errors } = await run(["start", "--prot", "80"]);
  expect(code).toBe(2);
  expect(out).toBe("");
  expect(errors).toMatch(/^crossdock: unknown option '--prot'/);
  expect(errors).toContain("Did you mean --port?");
  expect(errors).toContain("Next: crossdock start --help");
});

test.each([
  [["strat"], "Did you mean start?"],
  [["import"], "missing required argument 'file'"],
  [["start", "now"], "too many arguments"],
  [["--prot"], "unknown option '--prot'"],
])("%j is wrong usage", async (argv, words) => {
  const { code, errors } = await run(argv);
  expect(code).toBe(2);
  expect(errors).toContain(words);
  expect(errors).toMatch(/Next: crossdock.* --help/);
});

test("a wrong setting is reported with its place, and nothing is started", async () => {
  const { code, errors } = await run(["start", "--port", "eighty"]);
  expect(code).toBe(3);
  expect(errors).toContain('--port: "eighty" is not a port');
});

test("a missing configuration file is reported", async () => {
  const { code, errors } = await run(["start", "--config", "missing.yaml"]);
  expect(code).toBe(3);
  expect(errors).toContain("/nowhere/missing.yaml: cannot be read");
});

test("openapi prints the document and nothing else", async () => {
  const { code, out, errors } = await run(["openapi"]);
  expect({ code, errors }).toEqual({ code: 0, errors: "" });
  expect(JSON.parse(out)).toHaveProperty("openapi");
});

test.each([
  ["EADDRINUSE", 8080, "port 8080 on 127.0.0.1 is in use", "--port 8081"],
  ["EACCES", 80, "may not listen on port 80", "above 1023"],
  ["EADDRNOTAVAIL", 8080, "has no address 127.0.0.1", "--host"],
])("a start that fails with %s says what to do", (code, port, message, next) => {
  const failure = startFailure(Object.assign(new Error("listen"), { code }), { host: "127.0.0.1", port });
  expect(failure).toMatchObject({ message: expect.stringContaining(message), next: expect.stringContaining(next) });
});

test("a start on the data folder of a running adapter says what to do", async () => {
  const databaseFile = join(temporaryFolder(), "crossdock.db");
  onTestFinished(holdInstanceLock(`${databaseFile}.lock`));
  const error: unknown = await openSqliteJournal({ databaseFile }).catch((error: unknown) => error);
  expect(startFailure(error, { host: "127.0.0.1", port: 8080 })).toMatchObject({
    message: `Another Crossdock is already using this data folder (${databaseFile}.lock is locked)`,
    next: expect.stringContaining("stop it first"),
  });
});

test("so does a start beside an adapter whose lock file was removed", async () => {
  const databaseFile = join(temporaryFolder(), "crossdock.db");
  const running = await openSqliteJournal({ databaseFile });
  onTestFinished(() => running.close());
  rmSync(`${databaseFile}.lock`);
  const error: unknown = await openSqliteJournal({ databaseFile }).catch((error: unknown) => error);
  expect(startFailure(error, { host: "127.0.0.1", port: 8080 })).toMatchObject({
    message: `Another program is using ${databaseFile}: perhaps a Crossdock whose lock file was removed`,
    next: expect.stringContaining("stop it first"),
  });
});

test("a start on a full disk, or on one that may not be written to, says so", () => {
  const failure = (codes: object) =>
    startFailure(Object.assign(new Error("disk I/O error"), codes), { host: "127.0.0.1", port: 8080, dataFolder: "/" });
  expect(failure({ errcode: 13 })).toMatchObject({ message: "there is not enough space for /" });
  expect(failure({ code: "EROFS" })).toMatchObject({ message: expect.stringContaining("its disk is read-only") });
});

test("other failures of a start are passed on as they are", () => {
  const error = new ConfigError([]);
  expect(startFailure(error, { host: "::1", port: 80 })).toBe(error);
});

test("a dry run of an installation names a path that the service could not see, as the installation does", async ({
  skip,
}) => {
  skip(process.platform !== "linux", "these are paths of Linux");
  const { code, out, errors } = await run(["service", "install", "--dry-run", "--data", "/var/tmp/data"]);
  expect([code, out]).toEqual([1, ""]);
  // The program itself is named first, if it is in such a folder as well.
  expect(errors).toMatch(/may not look into home and temporary folders, and \S+ is in one/);
});
