import { expect, test } from "vitest";
import { systemTimers } from "../../../src/kit/time/timers.ts";
import { freePort } from "../../peers/free-port.ts";
import { peerGroup } from "../../peers/peer.ts";
import { newDeployment, urlOf } from "../deployment.ts";
import { beginProcess, processEnv as env, processKey, timeByHand } from "../many/begin-process.ts";
import { orderNumbers } from "../replicated-adapter.ts";
import { atTerminal } from "./at-terminal.ts";

const soon = { timeout: 60_000 };
const delivers = { connectors: { erp: { type: "webhook", url: "http://127.0.0.1:9/" } } };

await peerGroup("postgres", "a deployment that a person moves to another process", (address) => {
  const store = urlOf(address);

  test.each([
    ["that is open in every process", delivers],
    ["that is open only where it is asked for", {}],
  ])(
    "under load no request fails, for one %s; it goes there and back as often as it is wanted",
    async (_what, config) => {
      const name = newDeployment();
      const [first, second] = [await begin({ [name]: config }), await begin({ [name]: config })];
      expect(await orderNumbers(`${first.url}/${name}`)).toEqual([]);
      const failed: unknown[] = [];
      let isOver = false;
      let sent = 0;
      const load = async (url: string) => {
        while (!isOver) {
          const request = {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ workOrderNumber: `order-${++sent}`, itemNumber: "1" }),
          };
          const answer = await fetch(`${url}/${name}/WorkOrders/CancelPutWallItem`, request);
          const envelope = (await answer.json()) as { isResultSuccess?: boolean };
          if (envelope.isResultSuccess !== true) failed.push(envelope);
        }
      };
      const loads = [load(first.url), load(second.url)];
      for (const [to, from] of [
        [second, first],
        [first, second],
        [second, first],
      ] as const) {
        // On a busy machine its time may be over before it has followed: then it is said again.
        await expect.poll(async () => (await atTerminal(to.cwd, ["take-over", name], env)).code, soon).toBe(0);
        expect(to.isOwner(name)).toBe(true);
        await expect.poll(() => from.isOwner(name), soon).toBe(false);
      }
      // Told once more: it stays.
      expect(await atTerminal(second.cwd, ["take-over", name], env)).toMatchObject({
        code: 0,
        out: expect.stringContaining("already"),
      });
      isOver = true;
      await Promise.all(loads);
      expect(failed).toEqual([]);
      expect(sent).toBeGreaterThan(loads.length);
    },
  );

  test("it stays there although the weights want another process, until that process stops", async () => {
    const name = newDeployment();
    const heavy = await begin({ [name]: delivers }, { weight: 100 });
    await expect.poll(() => heavy.isOwner(name), soon).toBe(true);
    const light = await begin({ [name]: delivers }, { weight: 0.01 });
    await expect.poll(async () => (await atTerminal(light.cwd, ["take-over", name], env)).code, soon).toBe(0);
    await expect.poll(() => heavy.isOwner(name), soon).toBe(false);
    const status = (cwd: string) => atTerminal(cwd, ["status"], env);
    expect((await status(light.cwd)).out).toMatch(/ open, owner .*; moved by hand/);
    expect((await status(heavy.cwd)).out).toMatch(/ open, standby .*; moved by hand/);
    // The process that joins makes all of them look again who should own what.
    const third = await begin({ [name]: delivers });
    await expect.poll(() => third.isOwner(name), soon).toBe(false);
    expect([light.isOwner(name), heavy.isOwner(name)]).toEqual([true, false]);
    await light.close();
    await expect.poll(() => heavy.isOwner(name) === true || third.isOwner(name) === true, soon).toBe(true);
  });

  test("one that was asleep stays with the process that took it over as long as one that was asked for", async () => {
    const name = newDeployment();
    const options = { sleepAfterMinutes: 1 };
    const time = timeByHand(options);
    const { cwd, state, isOwner } = await begin({ [name]: {} }, options, time.timers);
    time.skip(10);
    expect(state(name)).toBe("asleep");
    expect(await atTerminal(cwd, ["take-over", name], env)).toMatchObject({ code: 0 });
    await time.look();
    expect([state(name), isOwner(name)]).toEqual(["open", true]);
    time.skip();
    await time.look();
    await expect.poll(() => state(name), soon).toBe("asleep");
  });

  test("of two processes that are told so at once, one gets it, and the other is told why not", async () => {
    const name = newDeployment();
    const processes = [
      await begin({ [name]: delivers }),
      await begin({ [name]: delivers }),
      await begin({ [name]: delivers }),
    ];
    await expect.poll(() => processes.filter((one) => one.isOwner(name)).length, soon).toBe(1);
    const others = processes.filter((one) => one.isOwner(name) !== true);
    const told = await Promise.all(others.map((one) => atTerminal(one.cwd, ["take-over", name], env)));
    expect(told.map(({ code }) => code).sort()).toEqual([0, 1]);
    expect(told.find(({ code }) => code === 1)?.errors).toMatch(/Another process was told to take .* over/);
    await expect.poll(() => processes.filter((one) => one.isOwner(name)).length, soon).toBe(1);
    expect(others[told.findIndex(({ code }) => code === 0)]?.isOwner(name)).toBe(true);
  });

  test("what cannot be done is refused with a sentence, and nothing changes", async () => {
    const name = newDeployment();
    const { cwd, url, isOwner, close } = await begin({ [name]: delivers });
    await expect.poll(() => isOwner(name), soon).toBe(true);
    const take = (deployment: string, key = processKey, more: string[] = []) =>
      atTerminal(cwd, ["take-over", deployment, ...more], { CROSSDOCK_API_KEY: key });
    expect(await take("nowhere")).toMatchObject({
      code: 1,
      errors: expect.stringMatching(new RegExp(`no deployment nowhere here; there are ${name}.*crossdock status`, "s")),
    });
    expect(await take(name, "another-key-than-that-one")).toMatchObject({
      code: 1,
      errors: expect.stringContaining("does not accept this key"),
    });
    expect(await take(name, processKey, ["--url", `http://127.0.0.1:${await freePort()}`])).toMatchObject({
      code: 1,
      errors: expect.stringMatching(/no adapter answers at .*check the address/s),
    });
    const post = (body: string) =>
      fetch(`${url}/deployments/take-over`, { method: "POST", headers: { "x-api-key": processKey }, body });
    for (const body of ["", "{", "[]", "null", '{"deployment":7}', `{"deployment":"${"x".repeat(5_000)}"}`]) {
      expect((await post(body)).status).toBe(400);
    }
    expect((await fetch(`${url}/deployments/take-over`)).status).toBe(405);
    expect(isOwner(name)).toBe(true);
    await close();
    expect(await take(name)).toMatchObject({ code: 1, errors: expect.stringContaining("no adapter is running") });
  });

  const begin = (sites: Readonly<Record<string, object>>, options: object = {}, timers = systemTimers) =>
    beginProcess({
      ...{ store, options, timers },
      sites: Object.fromEntries(Object.entries(sites).map(([name, config]) => [name, { config }])),
    });
});
