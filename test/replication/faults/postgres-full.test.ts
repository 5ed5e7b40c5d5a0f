import { expect, test } from "vitest";
import { operationRow } from "../../../src/contract/operations.ts";
import { schema } from "../../../src/replication/postgres/open-client.ts";
import { type PeerAddress, peerGroup } from "../../peers/peer.ts";
import { newDeployment, onPostgres, refuseChanges, urlOf } from "../deployment.ts";
import { orderNumbers, pushOrder, startSharing } from "../replicated-adapter.ts";

const soon = { timeout: 60_000 };

await peerGroup("postgres", "a PostgreSQL that stores nothing more", (address) => {
  const store = urlOf(address);

  test.each([
    ["its disk is full", "53100", "No space left on device"],
    ["it has no memory left", "53200", "out of memory"],
  ])(
    "if %s, events are refused with their own failure, the reason is shown, and the owner goes on by itself afterwards",
    async (_why, code, text) => {
      const deployment = newDeployment();
      const owner = await startSharing({ store, deployment });
      expect(await pushOrder(owner.url, "4711")).toBe(202);
      const repair = await refuseChanges(store, deployment, { code, text });
      expect(await pushOrder(owner.url, "4712")).toBe(503);
      const { method, path, results } = operationRow("confirmPutWallPlacement");
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify({ workOrderNumber: "4711", itemNumber: "100100", completedAmount: 1 });
      const answer = await fetch(`${owner.url}${path}`, { method, headers, body });
      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({ isResultSuccess: false, result: results.indexOf("OperationFailed") });
      const ready = await fetch(`${owner.url}/health/ready`);
      expect([ready.status, await ready.text()]).toEqual([503, expect.stringContaining(text)]);
      expect(await orderNumbers(owner.url)).toEqual(["4711"]);
      await repair();
      await expect.poll(async () => (await fetch(`${owner.url}/health/ready`)).status, soon).toBe(200);
      expect(await pushOrder(owner.url, "4713")).toBe(202);
      expect(await orderNumbers(owner.url)).toEqual(["4711", "4713"]);
      expect(owner.role()).toBe("owner");
    },
  );

  test("if its user may not write any more, events are refused, the reason is shown, and the owner goes on when the right is back", async () => {
    const deployment = newDeployment();
    const { url, administer } = await ownDatabase(address, deployment);
    const owner = await startSharing({ store: url, deployment });
    expect(await pushOrder(owner.url, "4711")).toBe(202);
    await administer(`REVOKE INSERT ON ${schema}.change FROM ${userOf(deployment)}`);
    expect(await pushOrder(owner.url, "4712")).toBe(503);
    const ready = await fetch(`${owner.url}/health/ready`);
    expect([ready.status, await ready.text()]).toEqual([
      503,
      expect.stringContaining("permission denied for table change"),
    ]);
    await administer(`GRANT INSERT ON ${schema}.change TO ${userOf(deployment)}`);
    await expect.poll(async () => (await fetch(`${owner.url}/health/ready`)).status, soon).toBe(200);
    expect(await pushOrder(owner.url, "4713")).toBe(202);
    expect(await orderNumbers(owner.url)).toEqual(["4711", "4713"]);
    expect(owner.role()).toBe("owner");
  });
});

const userOf = (deployment: string) => deployment.replaceAll("-", "_");

/** A database with a user of its own, who has no rights but those of the owner of its schema. */
async function ownDatabase(address: PeerAddress, deployment: string) {
  const user = userOf(deployment);
  await onPostgres(urlOf(address), `CREATE ROLE ${user} LOGIN PASSWORD '${user}'`);
  await onPostgres(urlOf(address), `CREATE DATABASE ${user}`);
  const administrators = urlOf({ ...address, database: user });
  const administer = (sql: string) => onPostgres(administrators, sql);
  await administer(`CREATE SCHEMA ${schema} AUTHORIZATION ${user}`);
  return { url: urlOf({ ...address, database: user, user, password: user }), administer };
}
