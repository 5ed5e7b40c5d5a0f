import { Agent, request } from "node:http";
import { operations } from "../../src/contract/operations.ts";
import { exportBody } from "../data/export-rows.ts";
import { serveJobs } from "../harness/processes/serve-jobs.ts";

/** Requests something large and reads it to the end. */
export type ReadJob = { readonly url: string } & (
  | { readonly kind: "list" }
  | { readonly kind: "export"; readonly rows: number }
);

export interface ReadResult {
  readonly ms: number;
  readonly bytes: number;
}

const agent = new Agent({ keepAlive: true });
const bodies = new Map<number, Buffer>();

await serveJobs(() => ({ run: (job) => read(job as ReadJob) }));

function read(job: ReadJob): Promise<ReadResult> {
  const { method, path } = job.kind === "list" ? operations.listWorkOrders : operations.getExportValues;
  const body = job.kind === "list" ? null : bodyOf(job.rows);
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const headers = body === null ? {} : { "content-type": "application/json", "content-length": body.length };
    const sent = request(job.url + path, { method, agent, headers }, (response) => {
      let bytes = 0;
      let start = "";
      response.on("data", (chunk: Buffer) => {
        if (bytes === 0) start = chunk.toString("latin1", 0, 100);
        bytes += chunk.length;
      });
      response.on("error", reject);
      response.on("end", () => {
        if (start.includes('"isResultSuccess":true')) resolve({ ms: performance.now() - startedAt, bytes });
        else reject(new Error(`no success: ${response.statusCode} ${start}`));
      });
    });
    sent.on("error", reject);
    sent.end(body ?? undefined);
  });
}

function bodyOf(rows: number): Buffer {
  const body = bodies.get(rows) ?? Buffer.from(exportBody(rows));
  bodies.set(rows, body);
  return body;
}
