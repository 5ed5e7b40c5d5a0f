import { execFile } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { PlantedFault } from "../../changes/planted/planted-faults.ts";
import { type PeerAddress, peerGroup } from "../../peers/peer.ts";
import { newDeployment, onPostgres, urlOf } from "../deployment.ts";

const top = join(import.meta.dirname, "../../..");

/** Runs the drill on a database of its own, in a process in which one source file has a fault. */
async function drillWith(
  address: PeerAddress,
  fault: PlantedFault | null,
): Promise<{ readonly code: number; readonly output: string }> {
  const database = newDeployment().replaceAll("-", "_");
  await onPostgres(urlOf(address), `CREATE DATABASE ${database}`);
  const planted =
    fault === null ? {} : { CROSSDOCK_PLANTED_FAULT: JSON.stringify({ ...fault, file: join(top, fault.file) }) };
  const args = ["--import", "./test/fixtures/plant-fault.ts", "test/replication/planted/drill.ts"];
  const store = { DRILL_STORE: urlOf({ ...address, database }) };
  return await new Promise((resolve) => {
    const options = { cwd: top, env: { ...process.env, ...planted, ...store }, timeout: 300_000 };
    const child = execFile(process.execPath, args, options, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, output: stdout + stderr }),
    );
  });
}

const faults: readonly PlantedFault[] = [
  {
    name: "answers before PostgreSQL has confirmed",
    file: "src/replication/link/replica.ts",
    find: '    if ("refused" in answer) throw new ReplicaRefused(answer.refused, isUnknown || answer.isDoubtful);\n',
    replace: "",
    inThread: true,
  },
  {
    name: "takes a connection that broke for a confirmation",
    file: "src/replication/link/direct-append.ts",
    find: '"not-stored" : "unknown"',
    replace: '"not-stored" : "stored"',
    inThread: true,
  },
  {
    name: "does not compare the epoch",
    file: "src/replication/postgres/append-change.ts",
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

await peerGroup("postgres", "a drill with two processes", (address) => {
  test("finds nothing where there is no fault", { timeout: 300_000 }, async () => {
    const { code, output } = await drillWith(address, null);
    expect({ code, output }).toMatchObject({ code: 0, output: expect.not.stringContaining("a difference") });
  });

  test.each(faults)("finds out a store that $name", { timeout: 300_000 }, async (fault) => {
    const { code, output } = await drillWith(address, fault);
    expect(output).toContain("a difference");
    expect(output).not.toContain("does not hold this exactly once");
    expect(code).toBe(1);
  });
});
