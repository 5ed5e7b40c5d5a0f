import { Agent, request } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { createClient } from "../../src/contract/derive/client.ts";
import { operationRow } from "../../src/contract/operations.ts";
import { spawnAdapter } from "../support/adapter/child-adapter.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** One event over a connection of the given pool; settles when the last byte of the answer is here. */
const post = (url: string, agent: Agent, body: string) =>
  new Promise<void>((resolve, reject) => {
    const { method, path } = operationRow("confirmPutWallPlacement");
    const sent = request(
      `${url}${path}`,
      { method, agent, headers: { "content-type": "application/json" } },
      (answer) => answer.resume().on("end", resolve),
    );
    sent.on("error", reject).end(body);
  });

test("equal pieces, each sent on another connection right after the answer to the one before, are all kept", async () => {
  // In a process of its own: in this one, an answer is read only after the adapter has had its turns.
  const adapter = await spawnAdapter(temporaryFolder());
  onTestFinished(async () => void (await adapter.end("SIGKILL")));
  const pools = [new Agent({ keepAlive: true }), new Agent({ keepAlive: true })] as const;
  onTestFinished(() => {
    for (const pool of pools) pool.destroy();
  });
  const orders = Array.from({ length: 32 }, (_, index) => `W-${index}`);
  const pieces = 40;
  // All orders at once: the busier the adapter, the longer it takes to see that an answer has arrived.
  await Promise.all(
    orders.map(async (workOrderNumber) => {
      const body = JSON.stringify({ workOrderNumber, itemNumber: "A", completedAmount: 1 });
      for (let turn = 0; turn < pieces; turn++) await post(adapter.url, pools[turn % 2 === 0 ? 0 : 1], body);
    }),
  );
  const client = createClient({ baseUrl: adapter.url });
  const { data } = await client.getReport({ workOrdersNumbers: orders, storageId: "Main", remainingRequests: {} });
  expect(data?.placements).toMatchObject([{ itemNumber: "A", amount: orders.length * pieces }]);
});
