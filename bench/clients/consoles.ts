import { Agent, request } from "node:http";
import { serveJobs } from "../harness/processes/serve-jobs.ts";

/** Open consoles. Each keeps the stream of changes open and loads the overview again when something has changed. */
export type ConsolesJob =
  /** `isSettled`: each has loaded its first overview when the job ends. */
  | { readonly open: number; readonly url: string; readonly apiKey: string; readonly isSettled?: boolean }
  | { readonly find: readonly string[]; readonly url: string; readonly apiKey: string }
  | "close";

let closes: (() => void)[] = [];

await serveJobs(() => ({
  run: async (given) => {
    const job = given as ConsolesJob;
    if (job === "close") {
      for (const close of closes) close();
      closes = [];
      return null;
    }
    if ("find" in job) return await find(job);
    closes = await Promise.all(Array.from({ length: job.open }, () => openConsole(job)));
    return null;
  },
}));

async function openConsole({
  url,
  apiKey,
  isSettled = false,
}: Extract<ConsolesJob, { open: number }>): Promise<() => void> {
  // A browser keeps its connection too. Nothing here may cost much: browsers run on other machines, and this on the same.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { "x-api-key": apiKey };
  const load = () =>
    new Promise<void>((resolve) => {
      const loading = request(`${url}/admin/overview`, { headers, agent }, (answer) => answer.resume());
      // A load that the end of the measurement interrupts is not counted.
      loading.on("error", () => {});
      loading.on("close", resolve);
      loading.end();
    });
  return await new Promise((resolve, reject) => {
    const stream = request(`${url}/admin/live`, { headers: { ...headers, accept: "text/event-stream" } }, (answer) => {
      const opened = () =>
        resolve(() => {
          agent.destroy();
          stream.destroy();
        });
      let isLoading = false;
      answer.on("data", () => {
        if (isLoading) return;
        isLoading = true;
        void load().then(() => {
          isLoading = false;
          opened();
        });
      });
      // The end of the measurement breaks the connection, which is not an error.
      answer.on("error", () => {});
      if (!isSettled) opened();
    });
    stream.on("error", reject);
    stream.end();
  });
}

/** Returns how long each search takes in milliseconds, one after the other. */
async function find({ find: texts, url, apiKey }: Extract<ConsolesJob, { find: unknown }>): Promise<number[]> {
  const times: number[] = [];
  for (const text of texts) {
    const startedAt = performance.now();
    const answer = await fetch(`${url}/admin/orders?${new URLSearchParams({ q: text })}`, {
      headers: { "x-api-key": apiKey },
    });
    const { orders } = (await answer.json()) as { orders: readonly unknown[] };
    times.push(performance.now() - startedAt);
    if (orders.length === 0) throw new Error(`nothing was found for ${text}`);
  }
  return times;
}
