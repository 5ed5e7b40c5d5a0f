import { writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createClient } from "../../../src/contract/derive/client.ts";
import { operationRow } from "../../../src/contract/operations.ts";
import { inheritedMarks } from "../../../src/journal/sqlite/writer/written-notes.ts";
import { schema } from "../../../src/replication/postgres/open-client.ts";
import { peerGroup } from "../../peers/peer.ts";
import { spawnAdapter } from "../../support/adapter/child-adapter.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { endLease, newDeployment, onPostgres, refuseChanges, urlOf } from "../deployment.ts";
import { longBudgets, startSharing } from "../replicated-adapter.ts";

const piece = { workOrderNumber: "W-1", itemNumber: "A", completedAmount: 1 };

await peerGroup("postgres", "an equal second piece after the owner was killed", (address) => {
  const store = urlOf(address);

  test("is a second piece if a standby has passed the answer to the first on, and takes over itself", async () => {
    const deployment = newDeployment();
    const owner = await spawnAdapter(configured(deployment), { CROSSDOCK_STORE: store });
    onTestFinished(async () => void owner.signal("SIGKILL"));
    const standby = await startSharing({ store, deployment });
    await place(standby.url);
    await owner.end("SIGKILL");
    await expect.poll(() => standby.role(), { timeout: 60_000 }).toBe("owner");
    await place(standby.url);
    await expectPlaced(standby.url, 2);
  });

  test("is a second piece whichever of two standbys takes over, and whichever gets it", async () => {
    const deployment = newDeployment();
    const owner = await spawnAdapter(configured(deployment), { CROSSDOCK_STORE: store });
    onTestFinished(async () => void owner.signal("SIGKILL"));
    const standbys = [await startSharing({ store, deployment }), await startSharing({ store, deployment })] as const;
    await place(standbys[0].url);
    await owner.end("SIGKILL");
    await expect.poll(() => standbys.map(({ role }) => role()), { timeout: 60_000 }).toContain("owner");
    await place(standbys[0].url);
    await expectPlaced(standbys[1].url, 2);
  });

  test("is a second piece if the standby that passed the answer on takes over, and loses the deployment before it could store that", async () => {
    const deployment = newDeployment();
    const owner = await spawnAdapter(configured(deployment), { CROSSDOCK_STORE: store });
    onTestFinished(async () => void owner.signal("SIGKILL"));
    const standby = await startSharing({ store, deployment });
    const [before] = await onPostgres(
      store,
      `SELECT last_number AS number FROM ${schema}.deployment WHERE name = '${deployment}'`,
    );
    // The piece is stored, and that its answer has arrived is not.
    const after = Number(before?.["number"]) + 1;
    const repair = await refuseChanges(store, deployment, { code: "53100", text: "No space left on device", after });
    await place(standby.url);
    await owner.end("SIGKILL");
    await expect.poll(() => standby.role(), { timeout: 60_000 }).toBe("owner");
    const ready = async () => (await fetch(`${standby.url}/health/ready`)).text();
    await expect.poll(ready, { timeout: 60_000 }).toContain("No space left on device");
    await onPostgres(store, `UPDATE ${schema}.deployment SET epoch = epoch + 1 WHERE name = '${deployment}'`);
    await expect.poll(() => standby.role(), { timeout: 60_000 }).toBe("standby");
    await repair();
    await endLease(store, deployment);
    await expect.poll(() => standby.role(), { timeout: 60_000 }).toBe("owner");
    await place(standby.url);
    await expectPlaced(standby.url, 2);
  });

  test("is a second piece after the killed process has come back, if that had answered the first one itself", async () => {
    const deployment = newDeployment();
    const folder = configured(deployment);
    const owner = await spawnAdapter(folder, { CROSSDOCK_STORE: store });
    onTestFinished(async () => void owner.signal("SIGKILL"));
    const standby = await startSharing({ store, deployment });
    await place(owner.url);
    // In the very moment of the answer there is no note yet.
    await expect.poll(() => inheritedMarks(join(folder, "data", "crossdock.db"))).toHaveLength(1);
    await owner.end("SIGKILL");
    await expect.poll(() => standby.role(), { timeout: 60_000 }).toBe("owner");
    const again = await spawnAdapter(folder, { CROSSDOCK_STORE: store });
    onTestFinished(async () => void again.signal("SIGKILL"));
    await place(again.url);
    await expectPlaced(standby.url, 2);
  });
});

function configured(deployment: string): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "crossdock.yaml"), JSON.stringify({ deployment, budgets: longBudgets }));
  return folder;
}

/** Settles when the last byte of the answer is here. A process that changes its role may refuse a connection meanwhile. */
async function place(url: string): Promise<void> {
  while (!(await isAnswered(url))) await new Promise((resolve) => setImmediate(resolve));
}

/** False if no connection was made, so that nothing was sent. */
const isAnswered = (url: string) =>
  new Promise<boolean>((resolve, reject) => {
    const { method, path } = operationRow("confirmPutWallPlacement");
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const headers = { "content-type": "application/json" };
    const sent = request(`${url}${path}`, { method, agent, headers }, (answer) =>
      answer.resume().on("end", () => resolve(true)),
    );
    sent.on("error", (error) => ("code" in error && error.code === "ECONNREFUSED" ? resolve(false) : reject(error)));
    sent.end(JSON.stringify(piece));
  });

const expectPlaced = (url: string, amount: number) =>
  expect.poll(() => placed(url).catch(() => null), { timeout: 60_000 }).toBe(amount);

async function placed(url: string): Promise<number | undefined> {
  const client = createClient({ baseUrl: url });
  const asked = { workOrdersNumbers: [piece.workOrderNumber], storageId: "Main", remainingRequests: {} };
  const { data } = await client.getReport(asked);
  return data?.placements?.[0]?.amount;
}
