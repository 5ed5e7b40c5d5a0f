import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startDeployments } from "../../../src/app/deployments/start-deployments.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { operationRow } from "../../../src/contract/operations.ts";
import { silentLog } from "../../../src/kit/log.ts";
import { freePort } from "../../peers/free-port.ts";
import { looseWire } from "../../peers/loose-wire.ts";
import { peerGroup } from "../../peers/peer.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { atTerminal } from "../commands/at-terminal.ts";
import { newDeployment, urlOf } from "../deployment.ts";
import { beginProcess, processEnv } from "../many/begin-process.ts";
import { orderNumbers, pushOrder, startSharing } from "../replicated-adapter.ts";

const soon = { timeout: 60_000 };
/** Short, so that a request does not wait for a PostgreSQL that stays away. */
const budgets = { eventMs: 300, stepMs: 300, scanMs: 300, listMs: 300 };

await peerGroup("postgres", "a PostgreSQL that is away", (address) => {
  test("neither a process nor a deployment that is asleep says that it is ready, until PostgreSQL is back", async () => {
    const wire = await looseWire(urlOf(address));
    const name = newDeployment();
    const { url, cwd } = await beginProcess({ store: wire.url, sites: { [name]: {} } });
    const ready = async (path: string) => {
      const answer = await fetch(`${url}${path}`);
      return { status: answer.status, ...((await answer.json()) as { ready: boolean; reasons: string[] }) };
    };
    const paths = ["/health/ready", "/deployments/ready", `/${name}/health/ready`];
    for (const path of paths) expect(await ready(path)).toMatchObject({ status: 200, ready: true, reasons: [] });
    wire.leadTo(`postgres://127.0.0.1:${await freePort()}/`);
    const reasons = [expect.stringMatching(/^PostgreSQL at .+ cannot be used: .+ \(since \d{4}-/)];
    for (const path of paths) {
      await expect.poll(() => ready(path), soon).toMatchObject({ status: 503, ready: false, reasons });
    }
    expect(await atTerminal(cwd, ["take-over", name], processEnv)).toMatchObject({
      code: 1,
      errors: expect.stringContaining("No deployment can be handed over now: PostgreSQL at"),
    });
    wire.leadTo(urlOf(address));
    for (const path of paths) await expect.poll(() => ready(path), soon).toMatchObject({ status: 200, ready: true });
    wire.close();
  });

  test("operators read since when, not that another server is taking over; people with a key read what to do", async () => {
    const wire = await looseWire(urlOf(address));
    const deployment = newDeployment();
    const logged: string[] = [];
    const log = { ...silentLog, warn: (_fields: object, text: string) => void logged.push(text) };
    const owner = await startSharing({ store: wire.url, deployment, config: { budgets }, log });
    const standby = await startSharing({ store: wire.url, deployment, config: { budgets } });
    expect(await pushOrder(owner.url, "4711")).toBe(202);
    wire.leadTo(`postgres://127.0.0.1:${await freePort()}/`);
    for (const { url } of [owner, standby]) {
      const place = async (language: string) => {
        const { method, path, results } = operationRow("confirmPutWallPlacement");
        const headers = { "content-type": "application/json", "accept-language": language };
        const body = JSON.stringify({ workOrderNumber: "4711", itemNumber: "100100", completedAmount: 1 });
        const answer = await fetch(`${url}${path}`, { method, headers, body });
        const { result, externalMessage } = (await answer.json()) as { result: number; externalMessage: string };
        return `${results[result]}: ${externalMessage}`;
      };
      await expect
        .poll(() => place("en"), soon)
        .toMatch(
          /^AdapterApiClientFailed: The adapter's database has been unavailable since \d\d:\d\d: nothing can be/,
        );
      expect(await place("de")).toMatch(/Die Datenbank des Adapters ist seit \d\d:\d\d nicht verfügbar/);
      const ready = await fetch(`${url}/health/ready`);
      expect([ready.status, await ready.text()]).toEqual([
        503,
        expect.stringMatching(/standby: PostgreSQL at 127.0.0.1:\d+ cannot be used: .+ \(since \d{4}-\d\d-\d\dT/),
      ]);
      const console = await fetch(`${url}/admin/overview`);
      expect([console.status, await console.json()]).toEqual([
        503,
        expect.objectContaining({
          detail: expect.stringMatching(
            /^PostgreSQL, where everything is stored, has been unavailable since \d\d:\d\d\./,
          ),
          phrase: expect.objectContaining({ key: "refusal.storeAway" }),
        }),
      ]);
    }
    // It was tried every second.
    expect(logged.filter((text) => text === "the store cannot be used; it is tried again").length).toBeLessThan(4);
    wire.leadTo(urlOf(address));
    await expect.poll(async () => [owner, standby].filter(({ role }) => role() === "owner").length, soon).toBe(1);
    await expect.poll(() => pushOrder(standby.url, "4712"), soon).toBe(202);
    await expect.poll(() => orderNumbers(owner.url), soon).toEqual(["4711", "4712"]);
  });

  test("of many deployments, one that would have to be opened first says the same", async () => {
    const wire = await looseWire(urlOf(address));
    const name = newDeployment();
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, "sites", name), { recursive: true });
    writeFileSync(join(cwd, "sites", name, "crossdock.yaml"), "{}");
    writeFileSync(join(cwd, "sites", name, ".env"), "CROSSDOCK_API_KEY=key-of-the-deployment\n");
    writeFileSync(join(cwd, "crossdock.yaml"), JSON.stringify({ deployments: { folder: "sites" }, store: wire.url }));
    const { config, settings, source } = await loadConfig({ env: { PORT: "0" }, cwd });
    const { deployments } = config;
    if (deployments === undefined || source === null) throw new Error("the configuration has deployments");
    const { url, close } = await startDeployments({
      ...{ config: { ...config, deployments }, source, env: {}, cwd, log: silentLog, store: wire.url },
      settings: { ...settings, apiKey: "key-of-the-process" },
    });
    onTestFinished(close);
    wire.leadTo(`postgres://127.0.0.1:${await freePort()}/`);
    const list = await (await fetch(`${url}/${name}/WorkOrders`)).json();
    expect(list).toMatchObject({
      isResultSuccess: false,
      externalMessage: expect.stringMatching(/database has been unavailable since \d\d:\d\d/),
    });
    const pushed = await fetch(`${url}/${name}/inbound/work-orders`, { method: "POST", body: "{}" });
    expect([pushed.status, await pushed.text()]).toEqual([
      503,
      expect.stringContaining("PostgreSQL, where everything"),
    ]);
    wire.leadTo(urlOf(address));
    await expect.poll(() => orderNumbers(`${url}/${name}`).catch(() => null), soon).toEqual([]);
  });
});
