import { request } from "node:http";
import { type OperationId, operations } from "../../src/contract/operations.ts";
import { largestStep, refusedBodies } from "../../test/support/adapter/hostile-bodies.ts";
import { serveJobs } from "../harness/processes/serve-jobs.ts";

/** Single worst-case requests, one after the other. */
export interface HostileJob {
  readonly url: string;
  readonly rounds: number;
}

const bodies: readonly { readonly id: OperationId; readonly body: Buffer }[] = [
  ...Object.values(refusedBodies).map(({ id, body }) => ({ id, body: Buffer.from(body) })),
  { id: "confirmStep", body: Buffer.from(largestStep) },
];

await serveJobs(() => ({
  run: async (given) => {
    const { url, rounds } = given as HostileJob;
    for (let round = 0; round < rounds; round++) {
      for (const { id, body } of bodies) await send(url + operations[id].path, body);
    }
    return null;
  },
}));

function send(url: string, body: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": body.length };
    const sending = request(url, { method: "POST", headers }, (response) => {
      response.resume();
      response.on("end", resolve);
    });
    sending.on("error", reject);
    sending.end(body);
  });
}
