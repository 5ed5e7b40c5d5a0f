import { expect, onTestFinished, test } from "vitest";
import { silentLog } from "../../../src/kit/log.ts";
import { hangUp, openClient, schema } from "../../../src/replication/postgres/open-client.ts";
import { peerGroup } from "../../peers/peer.ts";
import { newDeployment, onPostgres, urlOf } from "../deployment.ts";
import { orderNumbers, pushOrder, startSharing } from "../replicated-adapter.ts";

await peerGroup("postgres", "an owner whose lease ran out", (address) => {
  test("lets requests wait and goes on without opening anything again, if nobody has taken over", async () => {
    const store = urlOf(address);
    const deployment = newDeployment();
    const logged: string[] = [];
    const log = { ...silentLog, warn: (_fields: object, text: string) => void logged.push(text) };
    const owner = await startSharing({ store, deployment, log });
    expect(await pushOrder(owner.url, "4711")).toBe(202);
    const epochs = `SELECT epoch FROM ${schema}.deployment WHERE name = '${deployment}'`;
    const before = await onPostgres(store, epochs);
    const hindering = await openClient({ url: store, name: "test", timeoutMs: 600_000 });
    onTestFinished(() => hangUp(hindering));
    // Renewals wait for the end of this transaction.
    await hindering.query(`BEGIN; SELECT 1 FROM ${schema}.deployment WHERE name = '${deployment}' FOR UPDATE`);
    await expect.poll(() => logged, { interval: 5 }).toContain("the lease is over; requests wait until it is renewed");
    const waiting = orderNumbers(owner.url);
    await hindering.query("COMMIT");
    expect(await waiting).toEqual(["4711"]);
    expect(await pushOrder(owner.url, "4712")).toBe(202);
    expect(await onPostgres(store, epochs)).toEqual(before);
    expect([owner.role(), await orderNumbers(owner.url)]).toEqual(["owner", ["4711", "4712"]]);
  });
});
