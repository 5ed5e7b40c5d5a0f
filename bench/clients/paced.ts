import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { orderNumber } from "../data/orders.ts";
import { machineMs } from "../harness/machine-ms.ts";
import { serveJobs } from "../harness/processes/serve-jobs.ts";
import { connectAndRead } from "./read-answers.ts";
import { placementRequest } from "./requests.ts";

/** Sends put-wall events at a steady rate, each for another order, however long the answers take. */
export interface PacedJob {
  readonly url: string;
  readonly firstOrder: number;
  readonly perSecond: number;
  readonly events: number;
}

export interface Sending {
  readonly order: string;
  readonly sentAtMs: number;
}

const connections = 64;

await serveJobs(() => ({ run: (job) => send(job as PacedJob) }));

async function send({ url, firstOrder, perSecond, events }: PacedJob): Promise<Sending[]> {
  const { hostname, port, host } = new URL(url);
  const requests = Array.from({ length: events }, (_, index) => placementRequest(firstOrder + index, 0, host));
  const failures: Error[] = [];
  const free: Socket[] = [];
  const sockets = await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connectAndRead(Number(port), hostname, {
        onSuccess: () => free.push(socket),
        onFailure: (error) => failures.push(error),
      });
      await once(socket, "connect");
      return socket;
    }),
  );
  free.push(...sockets);
  const sendings: Sending[] = [];
  const startedAtMs = machineMs();
  const failIfAny = () => {
    if (failures[0] !== undefined) throw failures[0];
  };

  for (const [index, request] of requests.entries()) {
    const dueAtMs = startedAtMs + (index * 1000) / perSecond;
    while (machineMs() < dueAtMs) await sleep(1);
    let socket = free.shift();
    for (; socket === undefined; socket = free.shift()) {
      failIfAny();
      await sleep(1);
    }
    sendings.push({ order: orderNumber(firstOrder + index), sentAtMs: machineMs() });
    socket.write(request);
  }
  while (free.length < connections) {
    failIfAny();
    await sleep(1);
  }
  for (const socket of sockets) socket.destroy();
  failIfAny();
  return sendings;
}
