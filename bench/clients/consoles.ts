import { request } from "node:http";
import { serveJobs } from "../harness/processes/serve-jobs.ts";

/** Open consoles. Each keeps the stream of changes open and loads the overview again when something has changed. */
export type ConsolesJob =
  | { readonly open: number; readonly url: string; readonly apiKey: string }
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
    closes = await Promise.all(Array.from({ length: job.open }, () => openConsole(job.url, job.apiKey)));
    return null;
  },
}));

async function openConsole(url: string, apiKey: string): Promise<() => void> {
  const headers = { "x-api-key": apiKey, accept: "text/event-stream" };
  const abort = new AbortController();
  const load = async () => {
    const answer = await fetch(`${url}/admin/overview`, { headers: { "x-api-key": apiKey }, signal: abort.signal });
    await answer.arrayBuffer();
  };
  return await new Promise((resolve, reject) => {
    const stream = request(`${url}/admin/live`, { headers }, (answer) => {
      let isLoading = false;
      answer.on("data", () => {
        if (isLoading) return;
        isLoading = true;
        // A load that the end of the measurement interrupts is not counted.
        load()
          .catch(() => {})
          .finally(() => {
            isLoading = false;
          });
      });
      // The end of the measurement breaks the connection, which is not an error.
      answer.on("error", () => {});
      resolve(() => {
        abort.abort();
        stream.destroy();
      });
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
