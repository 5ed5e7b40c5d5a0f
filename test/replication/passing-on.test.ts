import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, createServer, request as send } from "node:http";
import { request as sendSecurely } from "node:https";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { operationRow } from "../../src/contract/operations.ts";
import { schema } from "../../src/replication/postgres/open-client.ts";
import { freePort } from "../peers/free-port.ts";
import { peerGroup } from "../peers/peer.ts";
import { authority } from "../support/receivers/certificates.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { endLease, newDeployment, onPostgres, urlOf } from "./deployment.ts";
import { apiKey, orderNumbers, pushOrder, startSharing } from "./replicated-adapter.ts";

await peerGroup("postgres", "a standby that passes requests on", (address) => {
  const store = urlOf(address);

  test("the owner learns the caller's address from the standby, and believes nobody else", async () => {
    const deployment = newDeployment();
    const config = { platform: { addresses: ["127.0.0.5"] } };
    const owner = await startSharing({ store, deployment, config });
    const standby = await startSharing({ store, deployment, config });
    await expect.poll(async () => (await call(standby.url, { from: "127.0.0.5" })).status).toBe(200);
    expect((await call(standby.url, { from: "127.0.0.6" })).status).toBe(403);
    const forged = {
      "crossdock-caller": Buffer.from('{"address":"127.0.0.5","names":null}').toString("base64url"),
      "crossdock-caller-proof": "guessed",
      "x-forwarded-for": "127.0.0.5",
    };
    for (const { url } of [owner, standby]) {
      expect((await call(url, { from: "127.0.0.6", headers: forged })).status).toBe(403);
    }
  });

  test("a request waits while the ownership changes, and no query fails while the owner stops", async () => {
    const deployment = newDeployment();
    const owner = await startSharing({ store, deployment });
    await pushOrder(owner.url, "4711");
    const standby = await startSharing({ store, deployment });
    await expect.poll(() => orderNumbers(standby.url)).toEqual(["4711"]);
    const agent = new Agent({ keepAlive: true });
    const statuses: number[] = [];
    let isOver = false;
    const asking = (async () => {
      // One more after it has taken over.
      for (let last = false; !last; ) {
        last = isOver;
        statuses.push((await call(standby.url, { agent })).status);
      }
    })();
    await owner.close();
    await expect.poll(() => standby.role(), { timeout: 60_000 }).toBe("owner");
    isOver = true;
    await asking;
    agent.destroy();
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  test("if no owner comes within its time budget, a request of the contract gets the failure of its row", async () => {
    const deployment = newDeployment();
    const config = { budgets: { eventMs: 100, stepMs: 100, scanMs: 100, listMs: 100 } };
    const owner = await startSharing({ store, deployment, config });
    const standby = await startSharing({ store, deployment, config });
    await owner.close();
    await expect.poll(() => standby.role(), { timeout: 60_000 }).toBe("owner");
    await standby.close();
    // An owner that holds its lease, and cannot be reached.
    const nowhere = `http://127.0.0.1:${await freePort()}`;
    await onPostgres(
      store,
      `UPDATE ${schema}.deployment SET owner = 'gone', owner_url = '${nowhere}', lease_until = now() + interval '1 h'
       WHERE name = '${deployment}'`,
    );
    const alone = await startSharing({ store, deployment, config });
    const list = await call(alone.url, { headers: { "accept-language": "de" } });
    const { results } = operationRow("listWorkOrders");
    expect(list.status).toBe(200);
    expect(JSON.parse(list.body)).toMatchObject({
      result: results.indexOf("AdapterApiClientFailed"),
      data: null,
    });
    expect(list.body).toContain("übernimmt");
    expect((await fetch(`${alone.url}/WorkOrders`)).headers.get("content-length")).toMatch(/^\d+$/);
    const event = await call(alone.url, {
      method: "POST",
      path: operationRow("changeStatus").path,
      body: JSON.stringify({ workOrderNumber: "4711" }),
    });
    expect([event.status, JSON.parse(event.body).data]).toEqual([200, null]);
    const admin = await call(alone.url, { path: "/admin/entries" });
    expect(admin).toMatchObject({ status: 503, body: expect.stringContaining("No owner of the deployment") });
  });

  test("an event that was given to a paused owner is carried out by the process that takes over", async () => {
    const deployment = newDeployment();
    await (await startSharing({ store, deployment })).close();
    const paused = createServer();
    const arrived = once(paused, "request");
    paused.listen(0, "127.0.0.1");
    await once(paused, "listening");
    onTestFinished(() => void paused.close().closeAllConnections());
    // A server on a port has an address of this kind.
    const { port } = paused.address() as AddressInfo;
    await onPostgres(
      store,
      `UPDATE ${schema}.deployment SET owner = 'paused', owner_url = 'http://127.0.0.1:${port}',
         lease_until = now() + interval '1 h' WHERE name = '${deployment}'`,
    );
    const standby = await startSharing({ store, deployment });
    const body = JSON.stringify({ workOrderNumber: "4711", itemNumber: "1", completedAmount: 1 });
    const placing = call(standby.url, { method: "POST", path: operationRow("confirmPutWallPlacement").path, body });
    await arrived;
    await endLease(store, deployment);
    const { status, body: answer } = await placing;
    expect([status, JSON.parse(answer).isResultSuccess, standby.role()]).toEqual([200, true, "owner"]);
  });

  test("a body is passed on while it arrives, however long it is", async () => {
    const deployment = newDeployment();
    await startSharing({ store, deployment });
    const standby = await startSharing({ store, deployment });
    await expect.poll(() => orderNumbers(standby.url)).toEqual([]);
    const long = Array.from({ length: 800 }, (_, index) => ({ number: `I-${index}`, description: "x".repeat(3_900) }));
    const body = JSON.stringify(long);
    expect(body.length).toBeGreaterThan(2 ** 21);
    const headers = { "x-api-key": apiKey };
    const pushed = await call(standby.url, { method: "POST", path: "/inbound/items", headers, body });
    expect([pushed.status, pushed.body.slice(0, 200)]).toEqual([202, expect.any(String)]);
  });

  test("with certificates, both processes serve HTTPS and pass on over it", async () => {
    const deployment = newDeployment();
    const ours = authority(temporaryFolder());
    const { cert, key } = ours.issue("floor", { alternatives: "DNS:adapter.example.com", use: "server" });
    const config = { platform: { tls: { cert, key } } };
    const owner = await startSharing({ store, deployment, config });
    const standby = await startSharing({ store, deployment, config });
    expect([owner.url, standby.url].map((url) => new URL(url).protocol)).toEqual(["https:", "https:"]);
    const ca = readFileSync(ours.file, "utf8");
    await expect.poll(async () => (await call(standby.url, { ca })).status).toBe(200);
    await owner.close();
    await expect.poll(async () => (await call(standby.url, { ca })).status, { timeout: 60_000 }).toBe(200);
    await expect.poll(() => standby.role(), { timeout: 60_000 }).toBe("owner");
  });

  test("an owner that listens on all networks gives the others an address that leads to it", async () => {
    const deployment = newDeployment();
    const env = { HOST: "0.0.0.0", CROSSDOCK_ADVERTISE: "127.0.0.1" };
    const owner = await startSharing({ store, deployment, env });
    const standby = await startSharing({ store, deployment });
    await pushOrder(owner.url, "4711");
    expect(await orderNumbers(standby.url)).toEqual(["4711"]);
    const [row] = await onPostgres(store, `SELECT owner_url FROM ${schema}.deployment WHERE name = '${deployment}'`);
    expect(row).toEqual({ owner_url: `http://127.0.0.1:${new URL(owner.url).port}` });
  });
});

interface Call {
  readonly from?: string;
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly agent?: Agent;
  readonly ca?: string;
}

function call(url: string, given: Call): Promise<{ status: number; body: string }> {
  const { from, method = "GET", path = "/WorkOrders", body = "", agent, ca } = given;
  const { hostname, port } = new URL(url);
  const headers = { "content-type": "application/json", ...given.headers };
  const target = { hostname, port, path, method, headers, localAddress: from };
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>();
  const secure = { ca, servername: "adapter.example.com" };
  const out = ca === undefined ? send({ ...target, agent }) : sendSecurely({ ...target, ...secure });
  out.on("response", (answer) => {
    let text = "";
    answer.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
    });
    answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body: text }));
    answer.on("error", reject);
  });
  out.on("error", reject);
  out.end(body);
  return promise;
}
