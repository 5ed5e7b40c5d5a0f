import { quantile } from "../harness/median.ts";
import { serveJobs } from "../harness/processes/serve-jobs.ts";
import { connectAndRead } from "./read-answers.ts";
import { type Requests, requestsOf, type Workload } from "./requests.ts";

/**
 * Keeps a number of connections busy and counts. It uses plain sockets and prepared bytes, so that it needs little of
 * the machine. Every request is different, every answer is checked, and times are finer than a millisecond.
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

    const sendNext = () => {
      sentAt = performance.now();
      // One request at least: connecting may take longer than the round if the host of the machine stands still.
      const request = turn === 0 || sentAt < target.endAt ? requests(connection, turn++) : undefined;
      if (request === undefined) {
        socket.end();
        resolve();
      } else socket.write(request);
    };

    const socket = connectAndRead(target.port, target.hostname, {
      onConnect: sendNext,
      onSuccess: () => {
        target.latenciesMs.push(performance.now() - sentAt);
        sendNext();
      },
      onFailure: reject,
    });
  });
}
