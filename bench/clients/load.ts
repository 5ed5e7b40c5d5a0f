import { connect } from "node:net";
import { quantile } from "../harness/median.ts";
import { serveJobs } from "../harness/serve-jobs.ts";
import { type Requests, requestsOf, type Workload } from "./requests.ts";

/**
 * Keeps a number of connections busy and counts. Bare sockets and ready bytes, as light as autocannon; but every
 * request is another one, every answer is checked, and times are finer than the millisecond autocannon counts in.
 */
export interface LoadJob {
  readonly url: string;
  readonly workload: Workload;
  readonly connections: number;
  readonly durationMs: number;
}

export interface LoadResult {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly answers: number;
}

const headEnd = Buffer.from("\r\n\r\n");
const success = Buffer.from('{"isResultSuccess":true,');

await serveJobs(() => ({ run: (job) => load(job as LoadJob) }));

async function load({ url, workload, connections, durationMs }: LoadJob): Promise<LoadResult> {
  const { hostname, port, host } = new URL(url);
  const requests = requestsOf(workload, connections, host);
  const latenciesMs: number[] = [];
  const startedAt = performance.now();
  const endAt = startedAt + durationMs;
  const target = { hostname, port: Number(port), endAt, latenciesMs };
  await Promise.all(Array.from({ length: connections }, (_, index) => keepBusy(index, requests, target)));
  const seconds = (performance.now() - startedAt) / 1000;
  return {
    perSecond: latenciesMs.length / seconds,
    p50Ms: quantile(latenciesMs, 0.5),
    p99Ms: quantile(latenciesMs, 0.99),
    answers: latenciesMs.length,
  };
}

function keepBusy(
  connection: number,
  requests: Requests,
  target: { hostname: string; port: number; endAt: number; latenciesMs: number[] },
): Promise<void> {
  return new Promise((resolve, reject) => {
    let turn = 0;
    let sentAt = 0;
    let received: Buffer | null = null;
    let missing = 0;

    const sendNext = () => {
      sentAt = performance.now();
      const request = sentAt < target.endAt ? requests(connection, turn++) : undefined;
      if (request === undefined) {
        socket.end();
        resolve();
      } else socket.write(request);
    };

    const socket = connect(target.port, target.hostname, sendNext);
    socket.setNoDelay(true);
    socket.on("error", reject);
    socket.on("data", (chunk) => {
      if (missing > 0) missing -= chunk.length;
      else {
        received = received === null ? chunk : Buffer.concat([received, chunk]);
        const bodyStart = received.indexOf(headEnd) + headEnd.length;
        if (bodyStart < headEnd.length || received.length < bodyStart + success.length) return;
        if (received.compare(success, 0, success.length, bodyStart, bodyStart + success.length) !== 0) {
          return reject(new Error(`no success: ${received.toString()}`));
        }
        missing = bodyStart + contentLength(received, bodyStart) - received.length;
        received = null;
      }
      if (missing > 0) return;
      target.latenciesMs.push(performance.now() - sentAt);
      sendNext();
    });
  });
}

function contentLength(answer: Buffer, bodyStart: number): number {
  const found = /content-length: (\d+)/i.exec(answer.toString("latin1", 0, bodyStart));
  if (found === null) throw new Error("an answer without a length cannot be counted here");
  return Number(found[1]);
}
