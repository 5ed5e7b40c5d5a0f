import { Agent, request } from "node:http";
import { operations } from "../../src/contract/operations.ts";
import { placement } from "../data/placement.ts";
import { serveJobs } from "../harness/processes/serve-jobs.ts";

/** Sends put-wall events at a steady rate, each for another order, to measure the effect of a concurrent push. */
export type FloorJob = { readonly start: string; readonly perSecond: number } | "stop";

export interface FloorResult {
  readonly latenciesMs: readonly number[];
  /** Answers other than success. */
  readonly refused: number;
}

// More than one connection: a stalled event must not delay the following ones.
const agent = new Agent({ keepAlive: true, maxSockets: 256 });
const { method, path } = operations.confirmPutWallPlacement;
const warmUps = 200;

let timer: NodeJS.Timeout | undefined;
let pending: Promise<{ ms: number; isTaken: boolean }>[] = [];
let next = 0;

await serveJobs(() => ({
  run: async (given): Promise<FloorResult | null> => {
    const job = given as FloorJob;
    if (job === "stop") {
      clearInterval(timer);
      const answers = await Promise.all(pending);
      return {
        latenciesMs: answers.map(({ ms }) => ms),
        refused: answers.filter(({ isTaken }) => !isTaken).length,
      };
    }
    // The first requests open connections and compile code, so they are not counted.
    for (let warm = 0; warm < warmUps; warm++) await event(job.start + path);
    pending = [];
    timer = setInterval(() => pending.push(event(job.start + path)), 1000 / job.perSecond);
    return null;
  },
}));

function event(url: string): Promise<{ ms: number; isTaken: boolean }> {
  const body = JSON.stringify(placement(next++, 0));
  return new Promise((resolve, reject) => {
    const sentAt = performance.now();
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const sending = request(url, { agent, method, headers }, async (response) => {
      let text = "";
      for await (const chunk of response) text += String(chunk);
      resolve({ ms: performance.now() - sentAt, isTaken: text.includes('"isResultSuccess":true') });
    });
    sending.on("error", reject);
    sending.end(body);
  });
}
