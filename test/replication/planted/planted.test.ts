import { execFile } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { PlantedFault } from "../../changes/planted/planted-faults.ts";

const top = join(import.meta.dirname, "../../..");

/** Runs the drill in a process in which one source file has a fault. */
function drillWith(fault: PlantedFault | null): Promise<{ readonly code: number; readonly output: string }> {
  const planted =
    fault === null ? {} : { CROSSDOCK_PLANTED_FAULT: JSON.stringify({ ...fault, file: join(top, fault.file) }) };
  const args = ["--import", "./test/fixtures/plant-fault.ts", "test/replication/planted/drill.ts"];
  return new Promise((resolve) => {
    const options = { cwd: top, env: { ...process.env, ...planted }, timeout: 120_000 };
    const child = execFile(process.execPath, args, options, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, output: stdout + stderr }),
    );
  });
}

const faults: readonly PlantedFault[] = [
  {
    name: "answers before PostgreSQL has confirmed",
    file: "src/replication/link/replica.ts",
    find: '      if (!("stored" in answer)) throw new ReplicaRefused("refused" in answer ? answer.refused : "not stored");\n',
    replace: "",
    inThread: true,
  },
  {
    name: "does not compare the epoch",
    file: "src/replication/postgres/change-log.ts",
    find: "WHERE name = $1 AND epoch = $2 AND last_number",
    replace: "WHERE name = $1 AND $2::bigint > 0 AND last_number",
    inThread: true,
  },
  {
    name: "applies a change twice",
    file: "src/replication/copy/local-copy.ts",
    find: "      if (!database.apply(change.body)) {",
    replace: "      if (!database.apply(change.body) || !database.apply(change.body)) {",
  },
  {
    name: "does not compare the hash of a change",
    file: "src/replication/copy/local-copy.ts",
    find: "    if (!isSamePosition(expected, change)) {",
    replace: "    if (expected.number !== change.number) {",
  },
];

test("without a fault the drill finds nothing", { timeout: 300_000 }, async () => {
  expect(await drillWith(null)).toMatchObject({ code: 0, output: expect.not.stringContaining("a difference") });
});

test.each(faults)("a store that $name is found out", { timeout: 300_000 }, async (fault) => {
  const { code, output } = await drillWith(fault);
  expect(output).toContain("a difference");
  expect(output).not.toContain("does not hold this exactly once");
  expect(code).toBe(1);
});
