import { execFile } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { laterPlantedFaults } from "./later-planted-faults.ts";
import { type PlantedFault, plantedFaults } from "./planted-faults.ts";

const top = join(import.meta.dirname, "../../..");

/** Plays sequences in a process of its own, in which one source file holds a fault. */
function playWith(fault: PlantedFault): Promise<{ readonly code: number; readonly output: string }> {
  const args = [
    "--import",
    "./test/fixtures/plant-fault.ts",
    "scripts/model.ts",
    "--listed",
    "--sequences",
    "1000",
    "--seed",
    "1",
  ];
  const env = { ...process.env, CROSSDOCK_PLANTED_FAULT: JSON.stringify({ ...fault, file: join(top, fault.file) }) };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, { cwd: top, env, timeout: 300_000 }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, output: stdout + stderr }),
    );
  });
}

const inert: PlantedFault = {
  ...{ name: "changes nothing", file: "test/changes/play/world.ts" },
  ...{
    find: "export const removedReceiptAfterMinutes = 60;",
    replace: "export const removedReceiptAfterMinutes = 59 + 1;",
  },
};

test("a fault whose place is no longer there is not taken for one that nobody noticed", async () => {
  const { code, output } = await playWith({ ...inert, find: "this stands nowhere" });
  expect(output).toContain("does not hold this exactly once");
  expect(code).toBe(3);
  expect(output).not.toContain("a difference");
});

test.each([...plantedFaults, ...laterPlantedFaults])(
  "an implementation that $name is found out",
  { timeout: 300_000 },
  async (fault) => {
    const { code, output } = await playWith(fault);
    expect(output).toContain("a difference");
    expect(code).toBe(1);
  },
);
