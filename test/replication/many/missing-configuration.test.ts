import { request } from "node:http";
import { expect, test } from "vitest";
import { silentLog } from "../../../src/kit/log.ts";
import { peerGroup } from "../../peers/peer.ts";
import { atTerminal } from "../commands/at-terminal.ts";
import { newDeployment, urlOf } from "../deployment.ts";
import { orderNumbers, pushOrder } from "../replicated-adapter.ts";
import { beginProcess, keyOf, processEnv, timeByHand } from "./begin-process.ts";

const soon = { timeout: 60_000 };

await peerGroup("postgres", "a process that lacks a configuration which others have", (address) => {
  const store = urlOf(address);

  test("it passes requests on to them, and says what is missing wherever people look", async () => {
    const [common, north] = [newDeployment(), newDeployment()];
    const said: unknown[] = [];
    const log = { ...silentLog, warn: (fields: object, text: string) => void said.push({ ...fields, text }) };
    const whole = await beginProcess({ store, sites: { [common]: {}, [north]: {} } });
    const lacking = await beginProcess({ store, sites: { [common]: {} }, log });
    expect(await orderNumbers(`${whole.url}/${common}`)).toEqual([]);
    expect(await pushOrder(`${whole.url}/${north}`, "4711", keyOf(north))).toBe(202);
    expect(await pushOrder(`${lacking.url}/${north}`, "4712", keyOf(north))).toBe(202);
    expect(await pushOrder(`${lacking.url}/${north}`, "4713", keyOf(common))).toBe(401);
    expect(await orderNumbers(`${lacking.url}/${north}`)).toEqual(["4711", "4712"]);
    expect((await fetch(`${lacking.url}/${newDeployment()}/WorkOrders`)).status).toBe(404);

    const missing = said.filter((one) => JSON.stringify(one).includes("no configuration"));
    expect(missing).toEqual([expect.objectContaining({ deployment: north, ownerUrl: `${whole.url}/${north}` })]);
    expect(await jsonOf(`${lacking.url}/health/ready`)).toEqual({
      ...{ ready: true, reasons: [], withoutConfiguration: [north] },
    });
    expect(await jsonOf(`${lacking.url}/${north}/health/ready`)).toMatchObject({
      ready: false,
      reasons: [expect.stringContaining("this process has no configuration of the deployment")],
      standby: { ownerUrl: `${whole.url}/${north}` },
    });
    const status = await atTerminal(lacking.cwd, ["status"], processEnv);
    expect(status.code).toBe(1);
    expect(status.out).toMatch(new RegExp(`Trouble +other processes serve ${north} .*Next: Bring its configuration`));
    expect(status.out).toMatch(/no configuration here +.* at http/);
    const doctor = await atTerminal(lacking.cwd, ["doctor"], processEnv);
    expect(doctor.out).toMatch(new RegExp(`! deployment ${north}: .* serves it; there is no configuration here`));
    expect(await jsonOf(`${whole.url}/health/ready`)).toEqual({ ready: true, reasons: [] });

    lacking.addSite(north, {});
    await lacking.readAgain();
    expect(await jsonOf(`${lacking.url}/health/ready`)).toEqual({ ready: true, reasons: [] });
    expect(await orderNumbers(`${lacking.url}/${north}`)).toEqual(["4711", "4712"]);
    expect(lacking.isOwner(north)).toBe(false);
    expect((await atTerminal(lacking.cwd, ["status"], processEnv)).code).toBe(0);
  });

  test("one that fell asleep is opened by a process that knows it", async () => {
    const [common, north] = [newDeployment(), newDeployment()];
    const options = { sleepAfterMinutes: 1 };
    const time = timeByHand(options);
    const sites = { [common]: {}, [north]: {} };
    const whole = await beginProcess({ store, sites, options, timers: time.timers });
    const lacking = await beginProcess({ store, sites: { [common]: {} } });
    for (const name of [common, north]) expect(await orderNumbers(`${whole.url}/${name}`)).toEqual([]);
    expect(await orderNumbers(`${lacking.url}/${north}`)).toEqual([]);
    time.skip();
    await time.look();
    await expect.poll(() => whole.state(north), soon).toBe("asleep");
    expect(await pushOrder(`${lacking.url}/${north}`, "4711", keyOf(north))).toBe(202);
    expect(whole.isOwner(north)).toBe(true);
  });

  test("a deployment is known by its host name as well", async () => {
    const [common, north] = [newDeployment(), newDeployment()];
    const host = `${north}.example.com`;
    const whole = await beginProcess({
      store,
      sites: { [common]: {}, [north]: { config: { basePath: "", hosts: [host] } } },
    });
    const lacking = await beginProcess({ store, sites: { [common]: {} } });
    expect(await orderNumbers(`${whole.url}/${common}`)).toEqual([]);
    expect(await statusOf(`${whole.url}/Status`, host)).toBe(200);
    // The host names come with the next report.
    await expect.poll(() => statusOf(`${lacking.url}/Status`, host), soon).toBe(200);
    expect(await statusOf(`${lacking.url}/Status`, "south.example.com")).toBe(404);
  });

  test("deployments of processes that have nothing in common with it are none of its business", async () => {
    const [north, south] = [newDeployment(), newDeployment()];
    const other = await beginProcess({ store, sites: { [south]: {} } });
    const { url, cwd } = await beginProcess({ store, sites: { [north]: {} } });
    expect(await orderNumbers(`${other.url}/${south}`)).toEqual([]);
    expect(await orderNumbers(`${url}/${north}`)).toEqual([]);
    expect((await fetch(`${url}/${south}/WorkOrders`)).status).toBe(404);
    expect((await atTerminal(cwd, ["status"], processEnv)).code).toBe(0);
  });
});

const jsonOf = async (url: string): Promise<unknown> => (await fetch(url)).json();

/** `fetch` sends no other host name than that of the address. */
const statusOf = (url: string, host: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request(url, { headers: { host } }, (answer) => resolve(answer.resume().statusCode))
      .on("error", reject)
      .end();
  });
