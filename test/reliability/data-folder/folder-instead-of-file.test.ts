import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { refuseFolders } from "../../../src/app/data-folder/refuse-folders.ts";
import { main } from "../../../src/cli/main.ts";
import { holdInstanceLock } from "../../../src/journal/sqlite/writer/durability.ts";
import { apiKey, startAdapter } from "../../support/adapter/adapter.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const databases = ["crossdock", "intake", "notes", "alarms", "fallback", "senders", "actions", "figures"];
const ofJournal = [".witness", ".sums", ".answers", ".lock", ".lock-journal"].map((end) => `crossdock.db${end}`);
const names = [
  ...databases.flatMap((name) => ["", "-wal", "-shm"].map((end) => `${name}.db${end}`)),
  ...[...ofJournal, "journal-mark", "opened-files", "adapter.json", "last-version"],
];

async function crossdock(folder: string, argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const lines: string[] = [];
  const code = await main(argv, {
    ...{ print: (text) => lines.push(text), complain: (text) => lines.push(text) },
    ...{ isInteractive: false, colour: false, cwd: folder },
    env: { CROSSDOCK_API_KEY: apiKey, CROSSDOCK_SAMPLE: "false", PORT: "0", ...env },
    untilStopped: () => Promise.resolve("SIGTERM"),
  });
  return { code, said: lines.join("\n") };
}

/** A data folder after a clean stop. */
async function stoppedFolder() {
  const { folder, close, client } = await startAdapter({ folder: temporaryFolder() });
  await client.confirmPutWallPlacement({ workOrderNumber: "W-1", itemNumber: "A-1", completedAmount: 1 });
  const present = readdirSync(join(folder, "data"));
  await close();
  return { folder, data: join(folder, "data"), present };
}

test("a folder in the place of any file refuses the start, with the name of the file and what to do", async () => {
  const { folder, data } = await stoppedFolder();
  for (const name of names) {
    const copy = join(folder, "kept");
    const file = join(data, name);
    const isThere = statSync(file, { throwIfNoEntry: false }) !== undefined;
    if (isThere) renameSync(file, copy);
    mkdirSync(file);
    const { code, said } = await crossdock(folder, ["start"]);
    expect({ code, said }, name).toEqual({
      code: 1,
      said: `crossdock: ${name} in ${data}: a folder, but must be a file\nNext: move it to another place and try again: the start then says what is missing without the file`,
    });
    rmSync(file, { recursive: true });
    if (isThere) renameSync(copy, file);
  }
  // Nothing was changed by that.
  const again = await startAdapter({ folder });
  expect(readdirSync(data)).toContain("adapter.json");
  await again.close();
});

test("the other commands on a data folder say the same", async () => {
  const { folder, data } = await stoppedFolder();
  expect(await crossdock(folder, ["backup", "saved"])).toMatchObject({ code: 0 });
  mkdirSync(join(data, "crossdock.db.lock-journal"));
  const store = "postgres://user@127.0.0.1:1/none";
  const commands = [
    ["backup", "another"],
    ["restore", "saved", "--yes"],
    ["journal", "recover"],
    ["move", "--to", store],
    ["move", "--to", "sqlite"],
  ];
  for (const command of commands) {
    const { code, said } = await crossdock(folder, command, { CROSSDOCK_STORE: store });
    expect({ code, said }, command.join(" ")).toEqual({
      code: 1,
      said: expect.stringMatching(/crossdock\.db\.lock-journal in .*: a folder, but must be a file\nNext: move it/),
    });
  }
});

test("a folder in the place of the key is named, too", async () => {
  const { folder, data } = await stoppedFolder();
  mkdirSync(join(data, "api-key"));
  const { said } = await crossdock(folder, ["backup", "saved"]);
  expect(said).toContain("api-key in");
});

test("a lock that cannot be used for another reason does not speak of another Crossdock", () => {
  const lock = join(temporaryFolder(), "crossdock.db.lock");
  mkdirSync(`${lock}-journal`);
  expect(() => holdInstanceLock(lock)).toThrow(`The lock file ${lock} cannot be used`);
});

test("every file of a running adapter is known, so that a folder in its place is named", async () => {
  const { present } = await stoppedFolder();
  expect(present.length).toBeGreaterThan(10);
  for (const name of present) {
    const folder = temporaryFolder();
    mkdirSync(join(folder, name));
    expect(() => refuseFolders(folder), name).toThrow(`${name} in ${folder}: a folder, but must be a file`);
  }
});

test("folders of an adapter itself are no reason to refuse", () => {
  const folder = temporaryFolder();
  for (const name of ["before-restore-1", "damaged-1", "deployments", "restore.part"]) mkdirSync(join(folder, name));
  expect(() => refuseFolders(folder)).not.toThrow();
  expect(() => refuseFolders(join(folder, "missing"))).not.toThrow();
});
