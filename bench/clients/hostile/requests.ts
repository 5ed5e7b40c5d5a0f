import { request } from "node:http";
import { type OperationId, operations } from "../../../src/contract/operations.ts";
import { largestStep, refusedBodies, wideStep } from "../../../test/support/adapter/hostile-bodies.ts";
import { longAnswers } from "../../../test/support/receivers/long-answers.ts";
import { benchKey } from "../../data/bench-key.ts";
import { serveJobs } from "../../harness/processes/serve-jobs.ts";

/** Sends single worst-case requests, one after the other. */
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
      for (const { get } of Object.values(longAnswers)) await send(url + get);
      await send(url + operations.attachWorkOrder.path, attachment(round));
      const order = `W-${round}`;
      await send(url + operations.confirmStep.path, stepOf(order));
      await send(url + operations.confirmStep.path, longNumberStep(round));
      for (const view of viewsOf(order)) await send(`${url}/admin/${view}`);
      await send(`${url}/admin/orders/${order}/bundle`, decision);
    }
    return null;
  },
}));

function attachment(round: number): Buffer {
  return Buffer.from(JSON.stringify({ workOrderNumber: `N-${round}`, containerCode: `C-${round}` }));
}

/** As large as an event may be. It is sent on with a mapping. */
const stepOf = (order: string) =>
  Buffer.from(wideStep.replace('"workOrderNumber":"N"', `"workOrderNumber":"${order}"`));

/** Its number does not fit a JavaScript number, and the rest makes it so long that another thread reads it. */
const longNumberStep = (round: number) =>
  Buffer.from(
    `{"workOrderNumber":"L-${round}","requestId":1234567890123456789,"note":"${"x".repeat(9_000)}",` +
      '"amountToConfirmPickingSummary":{"containersBreakdown":[{"amountToConfirmInBaseUnitOfMeasure":1}]}}',
  );

/** What an administrator may ask about such an order, and about the whole journal. */
const viewsOf = (order: string): readonly string[] => [
  ...["config", "journal?text=nothing", "journal/export?text=nothing", "deliveries", "orders"],
  ...[`journal?order=${order}`, `journal/export?order=${order}`, `orders/${order}`, `orders/${order}/timeline`],
];
const decision = Buffer.from(JSON.stringify({ operator: "bench", reason: "measured" }));

/** Sends a POST if there is a body, otherwise a GET. */
function send(url: string, body?: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers =
      body === undefined ? {} : { "content-type": "application/json", "content-length": String(body.length) };
    const all = { ...headers, "x-api-key": benchKey };
    const sending = request(url, { method: body === undefined ? "GET" : "POST", headers: all }, (response) => {
      response.resume();
      response.on("end", resolve);
    });
    sending.on("error", reject);
    sending.end(body);
  });
}
