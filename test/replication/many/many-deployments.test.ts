import { expect, test } from "vitest";
import { silentLog } from "../../../src/kit/log.ts";
import { peerGroup } from "../../peers/peer.ts";
import { atTerminal } from "../commands/at-terminal.ts";
import { newDeployment, urlOf } from "../deployment.ts";
import { apiKey, orderNumbers, pushOrder } from "../replicated-adapter.ts";
import { beginProcess, processEnv, type Site } from "./begin-process.ts";

const soon = { timeout: 60_000 };

await peerGroup("postgres", "processes that serve the same deployments from a PostgreSQL", (address) => {
  const store = urlOf(address);

  test("any process takes any request, and the deployments of one that stops are served by another", async () => {
    const [north, south] = [newDeployment(), newDeployment()];
    const files = { [north]: { key: apiKey }, [south]: { key: "key-of-the-south" } };
    const first = await begin(files);
    const second = await begin(files);
    expect(await pushOrder(`${first.url}/${north}`, "4711")).toBe(202);
    expect(await pushOrder(`${first.url}/${south}`, "4711")).toBe(401);
    expect(await orderNumbers(`${second.url}/${south}`)).toEqual([]);
    // Opened by the second one, it finds an owner and passes requests on to it.
    expect(await pushOrder(`${second.url}/${north}`, "4712")).toBe(202);
    expect(await orderNumbers(`${first.url}/${north}`)).toEqual(["4711", "4712"]);
    expect(first.isOwner(north)).toBe(true);
    expect(second.isOwner(north)).toBe(false);
    await first.close();
    await expect.poll(() => second.isOwner(north), soon).toBe(true);
    expect(await pushOrder(`${second.url}/${north}`, "4713")).toBe(202);
    expect(await orderNumbers(`${second.url}/${north}`)).toEqual(["4711", "4712", "4713"]);
    expect(await orderNumbers(`${second.url}/${south}`)).toEqual([]);
  });

  test("the status shows the deployments, their states and their owners, whether a process runs here or not", async () => {
    const [north, south] = [newDeployment(), newDeployment()];
    const { cwd, url, close } = await begin({ [north]: { key: apiKey }, [south]: { key: "key-of-the-south" } });
    expect(await pushOrder(`${url}/${north}`, "4711")).toBe(202);
    const { code, out } = await atTerminal(cwd, ["status"], processEnv);
    expect(code).toBe(0);
    // Long names are cut.
    const line = (name: string) => out.split("\n").find((one) => one.includes(` ${name.slice(0, 30)}`));
    expect(line(north)).toMatch(/ open, owner +.+ at http.+; lease for/);
    expect(line(north)).toContain(` at ${url}/${north};`);
    expect(line(south)).toMatch(/ asleep +\S+$/);
    expect(out).not.toContain(String(address["password"]));
    const wrong = await atTerminal(cwd, ["status"], { CROSSDOCK_API_KEY: "another-key-than-that-one" });
    expect(wrong).toMatchObject({ code: 1, out: expect.stringContaining("401 to the key") });
    await close();
    const stopped = JSON.parse((await atTerminal(cwd, ["status", "--json"], processEnv)).out);
    expect(stopped).toMatchObject({ process: null, troubles: [] });
    expect(stopped.deployments).toContainEqual({ name: south, here: null, owner: null });
  });

  test("a deployment with deliveries is followed by every process from the start, and taken over by itself", async () => {
    const name = newDeployment();
    const config = { connectors: { erp: { type: "webhook", url: "http://127.0.0.1:9/" } }, events: { to: "erp" } };
    const files = { [name]: { key: apiKey, config } };
    const first = await begin(files);
    await expect.poll(() => first.isOwner(name), soon).toBe(true);
    const second = await begin(files);
    await expect.poll(() => second.isOwner(name), soon).toBe(false);
    await first.close();
    await expect.poll(() => second.isOwner(name), soon).toBe(true);
  });

  test("when a process joins, it gets its share of the deployments, and no request fails meanwhile", async () => {
    const config = { connectors: { erp: { type: "webhook", url: "http://127.0.0.1:9/" } } };
    const names = Array.from({ length: 4 }, newDeployment);
    const files = Object.fromEntries(names.map((name) => [name, { key: `key-of-${name}`, config }]));
    const first = await begin(files);
    await expect.poll(() => names.every((name) => first.isOwner(name)), soon).toBe(true);
    let isOver = false;
    let asked = 0;
    const failed: unknown[] = [];
    const ask = async (url: string) => {
      while (!isOver) {
        const request = {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ workOrderNumber: `order-${++asked}`, itemNumber: "1" }),
        };
        const answer = await fetch(`${url}/WorkOrders/CancelPutWallItem`, request);
        const envelope = (await answer.json()) as { isResultSuccess?: boolean };
        if (envelope.isResultSuccess !== true) failed.push(envelope);
      }
    };
    const asking = names.map((name) => ask(`${first.url}/${name}`));
    // The heavier it is, the surer it gets one of these few.
    const second = await begin(files, { weight: 100 });
    await expect
      .poll(() => names.some((name) => second.isOwner(name) && first.isOwner(name) === false), soon)
      .toBe(true);
    isOver = true;
    await Promise.all(asking);
    expect(failed).toEqual([]);
    expect(asked).toBeGreaterThan(names.length);
  });

  test("a deployment without a given key is refused, because every process would generate another", async () => {
    const name = newDeployment();
    await expect(begin({ [name]: { key: null } })).rejects.toThrow(/needs a given API key/);
  });

  test("what a process finds out about PostgreSQL is reported once, however many deployments it opens", async () => {
    const names = [newDeployment(), newDeployment()];
    const said: unknown[] = [];
    const log = { ...silentLog, warn: (fields: object) => void said.push(fields) };
    const { url } = await begin(Object.fromEntries(names.map((name) => [name, { key: `key-of-${name}` }])), {}, log);
    for (const name of names) expect(await orderNumbers(`${url}/${name}`)).toEqual([]);
    // The server of the tests runs without syncs.
    const notice = "PostgreSQL's fsync is off: after a power cut, acknowledged events may be lost.";
    expect(said.filter((one) => JSON.stringify(one).includes("fsync"))).toEqual([expect.objectContaining({ notice })]);
  });

  const begin = (sites: Readonly<Record<string, Site>>, options: object = {}, log = silentLog) =>
    beginProcess({ store, sites, options, log });
});
