import { Agent, get } from "node:http";
import { operations } from "../../src/contract/operations.ts";
import { serveJobs } from "../harness/processes/serve-jobs.ts";

/** Sends small requests at a steady rate, to measure the effect of a concurrent large one. */
export type ProbeJob = { readonly start: string } | "stop";

const everyMs = 20;
// More than one connection: a stalled request must not delay the following ones.
const agent = new Agent({ keepAlive: true, maxSockets: 32 });

let timer: NodeJS.Timeout | undefined;
let pending: Promise<number>[] = [];

await serveJobs(() => ({
  run: async (given) => {
    const job = given as ProbeJob;
    if (job === "stop") {
      clearInterval(timer);
      return await Promise.all(pending);
    }
    const url = job.start + operations.getStatus.path;
    // The first requests open connections and compile code, so they are not counted.
    for (let warm = 0; warm < 20; warm++) await query(url);
    pending = [];
    timer = setInterval(() => pending.push(query(url)), everyMs);
    return null;
  },
}));

function query(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sentAt = performance.now();
    get(url, { agent }, (response) => {
      response.resume();
      response.on("end", () => resolve(performance.now() - sentAt));
    }).on("error", reject);
  });
}
