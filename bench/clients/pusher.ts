import { request } from "node:http";
import { setPriority } from "node:os";
import { pushRow } from "../../src/contract/pushes.ts";
import { benchKey } from "../data/bench-key.ts";
import { order } from "../data/orders.ts";
import { serveJobs } from "../harness/processes/serve-jobs.ts";

/** One push of many elements, measured from its first byte to the last byte of its answer. */
export interface PushJob {
  readonly url: string;
  readonly topic: "stock" | "workOrders";
  readonly elements: number;
}

export interface PushResult {
  readonly ms: number;
  readonly status: number;
  readonly megabytes: number;
}

// A real sender has its own machine, so writing 50 MB of JSON here must not take processor time from the adapter.
setPriority(10);

await serveJobs(() => ({ run: (job) => push(job as PushJob) }));

async function push({ url, topic, elements }: PushJob): Promise<PushResult> {
  const body = bodyOf(topic, elements);
  const startedAt = performance.now();
  const { status, entries } = await sent(url + pushRow(topic).path, body);
  const ms = performance.now() - startedAt;
  if (status !== 202 || entries !== elements) throw new Error(`${status}: ${entries} of ${elements} were accepted`);
  return { ms, status, megabytes: body.length / 1e6 };
}

/** About 40 bytes for a stock level, 600 for an order of one line. */
function bodyOf(topic: PushJob["topic"], elements: number): Buffer {
  const level = (index: number) => `{"itemNumber":"ART-${1_000_000 + index}","amount":${index % 500}}`;
  const text = topic === "stock" ? level : (index: number) => JSON.stringify(order(1_000_000 + index, 1));
  // Written in parts, because one string for all elements would exceed the maximum string length.
  const parts: Buffer[] = [];
  for (let from = 0; from < elements; from += 10_000) {
    const count = Math.min(10_000, elements - from);
    parts.push(
      Buffer.from((from === 0 ? "[" : ",") + Array.from({ length: count }, (_, at) => text(from + at)).join()),
    );
  }
  return Buffer.concat([...parts, Buffer.from("]")]);
}

function sent(url: string, body: Buffer): Promise<{ status: number; entries: number }> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": body.length, "x-api-key": benchKey };
    const sending = request(url, { method: "POST", headers }, async (response) => {
      let entries = 0;
      // Counts the beginnings of ids, even if one is split between two chunks.
      let rest = "";
      for await (const chunk of response) {
        const text: string = rest + String(chunk);
        entries += text.split('"evt_').length - 1;
        rest = text.slice(-4);
      }
      resolve({ status: response.statusCode ?? 0, entries });
    });
    sending.on("error", reject);
    sending.end(body);
  });
}
