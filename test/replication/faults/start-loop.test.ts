import { expect, onTestFinished, test } from "vitest";
import type { ConnectorDefinition } from "../../../src/sdk/connector.ts";
import { embedded } from "../../../src/store/connector.ts";
import { freePort } from "../../peers/free-port.ts";
import { looseWire } from "../../peers/loose-wire.ts";
import { peerGroup } from "../../peers/peer.ts";
import { newDeployment, urlOf } from "../deployment.ts";
import { orderNumbers, pushOrder, startSharing } from "../replicated-adapter.ts";

const soon = { timeout: 60_000 };

await peerGroup("postgres", "a process that follows and owns in turns", (address) => {
  const store = urlOf(address);

  test("whoever starts it without a PostgreSQL is told why, and nothing runs", async () => {
    const nowhere = urlOf({ ...address, port: await freePort() });
    await expect(startSharing({ store: nowhere, deployment: newDeployment() })).rejects.toMatchObject({
      message: expect.stringMatching(/cannot be used: .*ECONNREFUSED/),
      next: expect.stringMatching(/check that it runs/),
    });
  });

  test("if it cannot serve what it has just taken over, it gives it back and tries again", async () => {
    const deployment = newDeployment();
    const owner = await startSharing({ store, deployment });
    expect(await pushOrder(owner.url, "4711")).toBe(202);
    let isBroken = true;
    const connector: ConnectorDefinition = {
      ...embedded,
      open: async (options, context) => {
        if (isBroken) throw new Error("cannot be opened");
        // The same options as its own: it has no others.
        return await embedded.open(options as Parameters<typeof embedded.open>[0], context);
      },
    };
    const standby = await startSharing({ store, deployment, connector });
    await expect.poll(() => standby.isWarm(), soon).toBe(true);
    await owner.close();
    const third = await startSharing({ store, deployment });
    await expect.poll(() => third.role(), soon).toBe("owner");
    expect(await orderNumbers(third.url)).toEqual(["4711"]);
    expect(standby.role()).toBe("standby");
    isBroken = false;
    await third.close();
    await expect.poll(() => standby.role(), soon).toBe("owner");
    expect(await orderNumbers(standby.url)).toEqual(["4711"]);
  });

  test("it can be stopped while its PostgreSQL does not answer", async () => {
    const wire = await looseWire(store);
    onTestFinished(wire.close);
    const adapter = await startSharing({ store: wire.url, deployment: newDeployment() });
    wire.cut();
    await expect.poll(() => adapter.role(), soon).toBe("standby");
    await expect.poll(async () => (await fetch(`${adapter.url}/health/ready`)).status, soon).toBe(503);
    await adapter.close();
    await expect(fetch(adapter.url)).rejects.toThrow();
  });
});
