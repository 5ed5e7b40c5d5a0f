import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { freePort } from "../../peers/free-port.ts";
import { peerGroup } from "../../peers/peer.ts";
import { startAdapter } from "../../support/adapter/adapter.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { newDeployment, urlOf } from "../deployment.ts";
import { pushOrder, startSharing } from "../replicated-adapter.ts";
import { atTerminal } from "./at-terminal.ts";

test("without a PostgreSQL, the status shows the adapter and its folder, running or not", async () => {
  const { folder, url, close } = await startAdapter({ folder: temporaryFolder() });
  const running = await atTerminal(folder, ["status"]);
  expect(running).toMatchObject({ code: 0, out: expect.stringContaining(`an adapter at ${url}`) });
  expect(running.out).toContain("the data folder alone; no PostgreSQL is configured");
  await close();
  const stopped = await atTerminal(folder, ["status", "--json"]);
  expect(stopped.code).toBe(0);
  expect(JSON.parse(stopped.out)).toMatchObject({ adapter: null, store: null, copy: null });
  expect(JSON.parse(stopped.out).files.map(({ name }: { name: string }) => name)).toContain("crossdock.db");
});

await peerGroup("postgres", "the status of a deployment in PostgreSQL", (address) => {
  const store = urlOf(address);

  test("the owner and the standby each say what they are, and both say who owns the deployment", async () => {
    const deployment = newDeployment();
    const owner = await startSharing({ store, deployment });
    await pushOrder(owner.url, "4711");
    const standby = await startSharing({ store, deployment });
    await expect.poll(async () => (await read(standby.folder)).copy?.behind).toBe(0);
    const ofOwner = await read(owner.folder);
    expect(ofOwner.adapter).toMatchObject({ role: "owner", url: owner.url, ready: true });
    const ofStandby = await read(standby.folder);
    expect(ofStandby.adapter).toMatchObject({ role: "standby", url: standby.url });
    for (const status of [ofOwner, ofStandby]) {
      expect(status.store.deployment).toMatchObject({ epoch: 1, ownerUrl: owner.url });
      expect(status.store.deployment.leaseMs).toBeGreaterThan(0);
    }
    const page = await atTerminal(standby.folder, ["status"]);
    expect(page).toMatchObject({ code: 0 });
    expect(page.out).toMatch(/Here +a standby at /);
    expect(page.out).toContain(`at ${owner.url}; lease for`);
    // The server of the tests runs without syncs.
    expect(page.out).toContain("PostgreSQL's fsync is off");
    expect(page.out + JSON.stringify(ofOwner)).not.toContain(String(address["password"]));
    const ready = await fetch(`${owner.url}/health/ready`);
    expect(await ready.json()).toMatchObject({ ready: true, owner: { deployment, epoch: 1 } });
  });

  test("without a process, PostgreSQL alone is asked, and a copy that missed something says how much", async () => {
    const deployment = newDeployment();
    const owner = await startSharing({ store, deployment });
    const standby = await startSharing({ store, deployment });
    await standby.close();
    await pushOrder(owner.url, "4711");
    await owner.close();
    const { adapter, copy, store: stored } = await read(standby.folder);
    expect(adapter).toBeNull();
    expect(stored.deployment).toMatchObject({ owner: null, leaseMs: null });
    expect(copy.behind).toBeGreaterThan(0);
    expect(copy.behindMs).toBeGreaterThanOrEqual(0);
    expect((await atTerminal(standby.folder, ["status"])).out).toMatch(/Owner +nobody \(epoch 1\)/);
  });

  test("a deployment that PostgreSQL does not know is not created by asking for it", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "crossdock.yaml"), JSON.stringify({ deployment: newDeployment(), store }));
    for (let nth = 0; nth < 2; nth++) expect((await read(folder)).store.deployment).toBeNull();
  });

  test("a PostgreSQL that cannot be reached is named with what to do, and the command fails", async () => {
    const folder = temporaryFolder();
    const gone = urlOf({ ...address, port: await freePort() });
    writeFileSync(join(folder, "crossdock.yaml"), JSON.stringify({ store: gone }));
    const { code, out } = await atTerminal(folder, ["status"]);
    expect(code).toBe(1);
    expect(out).toMatch(/cannot be used: .*ECONNREFUSED.* Next: check that it runs/);
  });
});

async function read(folder: string) {
  const { out } = await atTerminal(folder, ["status", "--json"]);
  return JSON.parse(out);
}
