import { spawnSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { testIf } from "../../../test/support/test-if.ts";

/** Root may write everywhere, unless it gives this right away. */
const asOrdinaryUser =
  process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : ["env"];
const module = resolve(import.meta.dirname, "refuse-unwritable.ts");

function refusal(folder: string): { message?: string; next?: string } {
  const text = `
    import { refuseUnwritable } from ${JSON.stringify(module)};
    try { refuseUnwritable(${JSON.stringify(folder)}, 10001); console.log("{}"); }
    catch (error) { console.log(JSON.stringify({ message: error.message, next: error.next })); }`;
  const [command = "", ...args] = [...asOrdinaryUser, process.execPath, "--input-type=module", "-e", text];
  const { stdout, stderr } = spawnSync(command, args, { encoding: "utf8" });
  expect(stdout, stderr).not.toBe("");
  return JSON.parse(stdout) as { message?: string; next?: string };
}

testIf(process.platform === "linux")(
  "a data folder of another user is named with the user who needs it, and so are databases in it",
  () => {
    const folder = temporaryFolder();
    const databases = ["crossdock.db", "crossdock.db.lock", "alarms.db"].map((name) => join(folder, name));
    // The key may be kept by somebody else, who lets the adapter only read it.
    for (const file of [...databases, join(folder, "api-key")]) writeFileSync(file, "", { mode: 0o400 });
    for (const file of databases) chmodSync(file, 0o600);
    expect(refusal(folder)).toEqual({});
    expect(refusal(join(folder, "missing"))).toEqual({});
    chmodSync(join(folder, "alarms.db"), 0o400);
    chmodSync(join(folder, "crossdock.db"), 0o000);
    expect(refusal(folder)).toEqual({
      message: `this user (10001) may not write to alarms.db, crossdock.db in ${folder}`,
      next: expect.stringContaining(`chown -R 10001 ${folder}`),
    });
    chmodSync(folder, 0o500);
    expect(refusal(folder).message).toBe(`this user (10001) may not write to the data folder ${folder}`);
    chmodSync(folder, 0o700);
  },
);
