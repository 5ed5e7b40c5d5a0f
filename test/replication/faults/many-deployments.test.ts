import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startDeployments } from "../../../src/app/deployments/start-deployments.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { silentLog } from "../../../src/kit/log.ts";
import { schema } from "../../../src/replication/postgres/open-client.ts";
import { peerGroup } from "../../peers/peer.ts";
import { spawnAdapter } from "../../support/adapter/child-adapter.ts";
import { authority } from "../../support/receivers/certificates.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { newDeployment, onPostgres, urlOf } from "../deployment.ts";
import { longBudgets, orderNumbers } from "../replicated-adapter.ts";

const soon = { timeout: 90_000 };
const processKey = "key-of-the-process";
const delivers = { connectors: { erp: { type: "webhook", url: "http://127.0.0.1:9/" } } };

await peerGroup("postgres", "a process with many deployments", (address) => {
  const store = urlOf(address);

  test("when it is killed under load, another one serves its deployments, and nothing acknowledged is missing", async () => {
    const names = Array.from({ length: 6 }, newDeployment);
    // Some are open in every process, the others in the one that is asked first.
    const folder = folderOf(names, (nth) => (nth % 2 === 0 ? delivers : {}));
    const killed = await spawnAdapter(folder, { CROSSDOCK_API_KEY: processKey });
    onTestFinished(() => void killed.signal("SIGKILL"));
    const other = await begin(folderOf(names, (nth) => (nth % 2 === 0 ? delivers : {})));
    const acknowledged = new Map(names.map((name) => [name, new Set<string>()]));
    let isOver = false;
    let sent = 0;
    const load = async (base: string, name: string) => {
      while (!isOver) {
        const number = `${++sent}`;
        const status = await push(`${base}/${name}`, name, number).catch(() => 0);
        if (status === 202) acknowledged.get(name)?.add(number);
      }
    };
    const count = (name: string) => acknowledged.get(name)?.size ?? 0;
    const loads = names.flatMap((name) => [load(killed.url, name), load(other.url, name)]);
    await expect.poll(() => names.every((name) => count(name) >= 4), soon).toBe(true);
    await killed.end("SIGKILL");
    const before = new Map(names.map((name) => [name, count(name)]));
    await expect.poll(() => names.every((name) => count(name) > (before.get(name) ?? 0) + 3), soon).toBe(true);
    isOver = true;
    await Promise.all(loads);
    for (const name of names) {
      expect(other.isOwner(name)).toBe(true);
      const stored = await orderNumbers(`${other.url}/${name}`);
      expect(new Set(stored).size).toBe(stored.length);
      expect([...(acknowledged.get(name) ?? [])].filter((number) => !stored.includes(number))).toEqual([]);
    }
  });

  test("a deployment that the process which should own it does not take is taken by any other, after a while", async () => {
    const name = newDeployment();
    // In a database of its own: the process that never does its part would hinder other tests.
    const database = `own_${name.replaceAll("-", "_")}`;
    await onPostgres(store, `CREATE DATABASE ${database}`);
    const apart = urlOf({ ...address, database });
    const other = await begin(
      folderOf([newDeployment()], () => ({}), { store: apart }),
      apart,
    );
    await onPostgres(
      apart,
      `INSERT INTO ${schema}.process (name, weight, warm, seen) VALUES ('idle', 1e12, '{}', now() + interval '1 h')`,
    );
    await other.close();
    const { isOwner } = await begin(
      folderOf([name], () => delivers, { store: apart }),
      apart,
    );
    await expect.poll(() => isOwner(name), soon).toBe(true);
  });

  test("with certificates, requests are passed on to the owner over HTTPS", async () => {
    const name = newDeployment();
    const cwd = temporaryFolder();
    const ours = authority(cwd);
    const { cert, key } = ours.issue("processes", { alternatives: "DNS:adapter.example.com", use: "server" });
    const tls = { platform: { tls: { cert, key } } };
    const first = await begin(folderOf([name], () => delivers, tls));
    await expect.poll(() => first.isOwner(name), soon).toBe(true);
    const second = await begin(folderOf([name], () => delivers, tls));
    const ca = readFileSync(ours.file);
    const list = (url: string) =>
      new Promise((resolve, reject) => {
        const named = { ca, servername: "adapter.example.com" };
        request(`${url}/${name}/WorkOrders`, named, (answer) => resolve(answer.resume().statusCode))
          .on("error", reject)
          .end();
      });
    expect(new URL(second.url).protocol).toBe("https:");
    expect(await list(second.url)).toBe(200);
    expect([first.isOwner(name), second.isOwner(name)]).toEqual([true, false]);
  });

  function folderOf(names: readonly string[], configOf: (nth: number) => object, more: object = {}): string {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "crossdock.yaml"), JSON.stringify({ deployments: { folder: "sites" }, store, ...more }));
    for (const [nth, name] of names.entries()) {
      mkdirSync(join(cwd, "sites", name), { recursive: true });
      writeFileSync(
        join(cwd, "sites", name, "crossdock.yaml"),
        JSON.stringify({ budgets: longBudgets, ...configOf(nth) }),
      );
      writeFileSync(join(cwd, "sites", name, ".env"), `CROSSDOCK_API_KEY=key-of-${name}\n`);
    }
    return cwd;
  }

  async function begin(cwd: string, own = store) {
    const { config, settings, source } = await loadConfig({ env: { PORT: "0" }, cwd });
    const { deployments } = config;
    if (deployments === undefined || source === null) throw new Error("the configuration has deployments");
    const running = await startDeployments({
      ...{ config: { ...config, deployments }, source, env: {}, cwd, log: silentLog, store: own },
      settings: { ...settings, apiKey: processKey },
    });
    onTestFinished(running.close);
    const isOwner = (name: string) => running.deploymentsView().find((one) => one.name === name)?.isOwner;
    return { url: running.url, isOwner, close: running.close };
  }
});

async function push(url: string, name: string, number: string): Promise<number> {
  const order = { number, dueDate: "2030-01-31", requests: [{ itemNumber: "100100", requestedAmount: 2 }] };
  const response = await fetch(`${url}/inbound/work-orders`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": `key-of-${name}` },
    body: JSON.stringify(order),
  });
  await response.text();
  return response.status;
}
