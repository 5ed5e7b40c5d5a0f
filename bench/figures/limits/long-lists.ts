import { setTimeout as sleep } from "node:timers/promises";
import { operations } from "../../../src/contract/operations.ts";
import { orderNumber } from "../../data/orders.ts";
import { type PackagedProgram, startPackagedProgram } from "../../harness/processes/packaged-program.ts";
import type { Workshop } from "../../harness/processes/workshop.ts";
import type { Figure, Measurement } from "../../harness/report/measurement.ts";
import { longOrders } from "../sizes.ts";

const settleMs = 3_000;
const rounds = 20;
/** Less is not a line. */
const leastPerLine = 100;

export const longLists: Figure = {
  name: "long-lists",
  chapter: "Limits",
  summary:
    "GET /WorkOrders with 20 orders of 10,000 lines (about 60 MB), and a scan of each, one after another. The longest turn of the " +
    "program's event loop while they are read, in processor time: the first of each after a start, and twenty more; below each the longest of the turns in which the host of a virtual machine took no processor time for others. The program has the settings of the service unit for memory.",
  measure: async (workshop) => await measured(workshop),
};

async function measured(workshop: Workshop): Promise<readonly Measurement[]> {
  const program = await startPackagedProgram(await workshop.ownStore(longOrders), {});
  try {
    await sleep(settleMs);
    return [
      ...(await turnsOf(program, "the first list and scans of long orders after a start", 1)),
      ...(await turnsOf(program, "twenty more lists and scans of long orders", rounds)),
    ];
  } finally {
    await program.stop();
  }
}

async function turnsOf(program: PackagedProgram, what: string, count: number): Promise<readonly Measurement[]> {
  await program.longestTurns();
  for (let round = 0; round < count; round++) {
    await read(program.url + operations.listWorkOrders.path);
    for (let index = 0; index < longOrders.orders; index++) {
      const storage = index % 2 === 0 ? "Main" : "North";
      const code = `Code=${orderNumber(index)}&StorageName=${storage}`;
      await read(`${program.url}${operations.findWorkOrderByCode.path}?${code}`);
    }
  }
  const { longestMs, undisturbedMs } = await program.longestTurns();
  return [
    { what: `Longest turn, ${what}`, unit: "ms", ours: longestMs, bar: { of: "figure", at: "most", limit: 20 } },
    { what: "The same, in which the host took no time", unit: "ms", ours: undisturbedMs },
  ];
}

/** Reads an answer to its end, a piece at a time. */
async function read(url: string): Promise<void> {
  const answer = await fetch(url);
  if (!answer.ok || answer.body === null) throw new Error(`${url} was answered with ${answer.status}`);
  let bytes = 0;
  for await (const piece of answer.body) bytes += piece.length;
  if (bytes < longOrders.lines * leastPerLine) throw new Error(`${url} was answered without an order`);
}
