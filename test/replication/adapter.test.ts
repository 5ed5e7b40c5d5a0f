import { expect, onTestFinished, test } from "vitest";
import { startReplicated } from "../../src/app/replicated/start-replicated.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { peerGroup } from "../peers/peer.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { newDeployment, urlOf } from "./deployment.ts";
import { looseWire } from "./loose-wire.ts";

const apiKey = "key-of-both-processes";

await peerGroup("postgres", "adapters that share a PostgreSQL", (address) => {
  const url = urlOf(address);

  test("the standby passes requests on to the owner, and goes on with everything when the owner stops", async () => {
    const deployment = newDeployment();
    const owner = await startAdapter(url, deployment);
    const standby = await startAdapter(url, deployment);
    expect([owner.role(), standby.role()]).toEqual(["owner", "standby"]);
    expect(await readiness(owner.url)).toMatchObject({ status: 200, ready: true });
    await expect.poll(async () => (await readiness(standby.url)).standby?.ownerUrl).toBe(owner.url);
    expect(await push(standby.url, "4711")).toBe(202);
    expect(await numbers(owner.url)).toEqual(["4711"]);
    expect(await numbers(standby.url)).toEqual(["4711"]);
    await owner.close();
    await expect.poll(async () => (await readiness(standby.url)).status, { timeout: 60_000 }).toBe(200);
    expect(standby.role()).toBe("owner");
    expect(await push(standby.url, "4712")).toBe(202);
    expect(await numbers(standby.url)).toEqual(["4711", "4712"]);
  });

  test("an adapter that loses its PostgreSQL refuses events, and serves again when it is back", async () => {
    const wire = await looseWire(url);
    const adapter = await startAdapter(wire.url, newDeployment());
    expect(await push(adapter.url, "4711")).toBe(202);
    wire.cut();
    await expect.poll(async () => (await readiness(adapter.url)).status, { timeout: 60_000 }).toBe(503);
    expect(await push(adapter.url, "4712")).toBe(503);
    wire.mend();
    await expect.poll(async () => (await readiness(adapter.url)).status, { timeout: 60_000 }).toBe(200);
    expect(await numbers(adapter.url)).toEqual(["4711"]);
    expect(await push(adapter.url, "4712")).toBe(202);
  });
});

async function startAdapter(store: string, deployment: string) {
  const folder = temporaryFolder();
  const env = { CROSSDOCK_DATA_DIR: folder, PORT: "0", CROSSDOCK_SAMPLE: "false" };
  const { config, settings, describe } = await loadConfig({ env, cwd: folder });
  const given = { config: { ...config, deployment }, settings: { ...settings, apiKey }, describe, store };
  const adapter = await startReplicated(given);
  onTestFinished(() => adapter.close());
  return adapter;
}

interface Ready {
  readonly status: number;
  readonly standby?: { readonly ownerUrl: string | null };
}

/** Between the listener of a standby and that of an owner, nobody answers. */
async function readiness(url: string): Promise<Ready> {
  try {
    const response = await fetch(`${url}/health/ready`);
    return { status: response.status, ...((await response.json()) as object) };
  } catch {
    return { status: 0 };
  }
}

async function push(url: string, number: string): Promise<number> {
  const order = { number, dueDate: "2030-01-31", requests: [{ itemNumber: "100100", requestedAmount: 2 }] };
  const response = await fetch(`${url}/inbound/work-orders`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": apiKey },
    body: JSON.stringify(order),
  });
  return response.status;
}

async function numbers(url: string): Promise<string[]> {
  const response = await fetch(`${url}/WorkOrders`);
  const { data } = (await response.json()) as { data: { number: string }[] };
  return data.map(({ number }) => number).sort();
}
