import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { beforeAll, expect, test } from "vitest";
import { laterPlantedFaults } from "./later-planted-faults.ts";
import { morePlantedFaults } from "./more-planted-faults.ts";
import { type PlantedFault, plantedFaults } from "./planted-faults.ts";

const inert: PlantedFault = {
  ...{ name: "changes nothing", file: "test/changes/play/world.ts" },
  ...{
    find: "export const removedReceiptAfterMinutes = 60;",
    replace: "export const removedReceiptAfterMinutes = 59 + 1;",
  },
};
const misplaced: PlantedFault = { ...inert, name: "is not there", find: "this stands nowhere" };
const unloaded: PlantedFault = { ...inert, name: "is not loaded", file: "test/changes/planted/planted.test.ts" };
const faults = [...plantedFaults, ...morePlantedFaults, ...laterPlantedFaults];

/** Ends a run that hangs; even a busy machine needs far less. */
const longestMs = 900_000;
let resultOf: (fault: PlantedFault) => Promise<string | undefined>;
beforeAll(() => {
  const played = playWith([misplaced, unloaded, ...faults]);
  resultOf = played.resultOf;
  return played.end;
});

/** Plays the sequences with one fault after the other. */
function playWith(all: readonly PlantedFault[]) {
  const child = spawn(process.execPath, [join(import.meta.dirname, "play-faults.ts")], {
    stdio: ["pipe", "pipe", "pipe"],
    timeout: longestMs,
  });
  let said = "";
  child.stderr.on("data", (chunk) => {
    said += String(chunk);
  });
  const results = all.map(() => Promise.withResolvers<string>());
  createInterface({ input: child.stdout }).on("line", (line) => {
    // Written by the program above.
    const { nth, result } = JSON.parse(line) as { readonly nth: number; readonly result: string };
    results[nth]?.resolve(result);
  });
  const ended = once(child, "close").then(() => {
    for (const { resolve } of results) resolve(`it ended before it was played: ${said}`);
  });
  child.stdin.end(JSON.stringify(all));
  return {
    resultOf: async (fault: PlantedFault) => await results[all.indexOf(fault)]?.promise,
    end: async () => {
      child.kill();
      await ended;
    },
  };
}

test("a fault whose place is no longer there is not taken for one that nobody noticed", async () => {
  expect(await resultOf(misplaced)).toContain("does not hold this exactly once");
  expect(await resultOf(unloaded)).toBe("the file is not loaded");
});

test.each(faults)("an implementation that $name is found out", { timeout: longestMs }, async (fault) => {
  expect(await resultOf(fault)).toBe("a difference");
});
