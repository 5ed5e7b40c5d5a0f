import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { refuseMovedFolder } from "../../../src/app/move/move-marks.ts";
import { moveToFolder } from "../../../src/app/move/move-to-folder.ts";
import { moveToPostgres } from "../../../src/app/move/move-to-postgres.ts";
import { projectionOf } from "../../../src/app/replicated/projection-of.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { openIntakeFile } from "../../../src/engine/quarantine/open-quarantine.ts";
import { silentLog } from "../../../src/kit/log.ts";
import { systemClock } from "../../../src/kit/time/clock.ts";
import { systemTimers } from "../../../src/kit/time/timers.ts";
import { tableDigests } from "../../../src/replication/copy/table-digests.ts";
import { freePort } from "../../peers/free-port.ts";
import { peerGroup } from "../../peers/peer.ts";
import { apiKey as adapterKey, startAdapter } from "../../support/adapter/adapter.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { newDeployment, urlOf } from "../deployment.ts";
import { apiKey, orderNumbers, startSharing } from "../replicated-adapter.ts";
import { atTerminal } from "./at-terminal.ts";

await peerGroup("postgres", "moving a deployment", (address) => {
  const store = urlOf(address);

  /** A folder with a sample warehouse, whose adapter is stopped. */
  const stoppedFolder = async () => {
    const deployment = newDeployment();
    const folder = temporaryFolder();
    const { url, close } = await startAdapter({ folder, config: { deployment }, sample: true });
    const numbers = await orderNumbers(url);
    await close();
    const dataFolder = join(folder, "data");
    quarantineOne(dataFolder);
    return { deployment, folder, dataFolder, numbers };
  };
  const restart = (folder: string, deployment: string) => startAdapter({ folder, config: { deployment } });

  test("a folder is moved to PostgreSQL and back, and each time everything is there", async () => {
    const { deployment, folder, dataFolder, numbers } = await stoppedFolder();
    expect(numbers.length).toBeGreaterThan(0);
    const before = ["crossdock.db", "intake.db"].flatMap((name) => tableDigests(join(dataFolder, name)));
    const there = await atTerminal(folder, ["move", "--to", store]);
    expect(there).toMatchObject({ code: 0, out: expect.stringContaining("read back and the same") });
    for (const { table, rows, sha256 } of before) {
      expect(there.out).toMatch(new RegExp(`${table} +${rows} +${sha256.slice(0, 16)}`));
    }
    // Whoever puts the files back has a whole journal again.
    const mark = (place: string) => join(dataFolder, place, "journal-mark");
    expect([mark("."), mark("before-move-1")].map((file) => existsSync(file))).toEqual([false, true]);
    // The source cannot be started by mistake, nor moved a second time.
    await expect(restart(folder, deployment)).rejects.toThrow(/was moved to postgres:.*as deployment/);
    expect((await atTerminal(folder, ["move", "--to", store])).errors).toMatch(/was moved to .* before/);

    const owner = await startSharing({ store, deployment, folder });
    expect(await orderNumbers(owner.url)).toEqual(numbers);
    expect(await quarantined(owner.url)).toBe(1);
    const elsewhere = await startSharing({ store, deployment });
    await owner.close();
    await expect.poll(() => elsewhere.role(), { timeout: 60_000 }).toBe("owner");
    await expect.poll(() => orderNumbers(elsewhere.url), { timeout: 60_000 }).toEqual(numbers);
    expect(await quarantined(elsewhere.url)).toBe(1);
    await elsewhere.close();

    // A copy may be replaced at any time, so it has no mark.
    expect(existsSync(mark("."))).toBe(false);

    const back = await atTerminal(folder, ["move", "--to", "sqlite"], { CROSSDOCK_STORE: store });
    expect(back).toMatchObject({ code: 0, out: expect.stringContaining("read back and the same") });
    await expect(startSharing({ store, deployment })).rejects.toThrow(/was moved to .*data/);
    expect(existsSync(mark("."))).toBe(true);
    const alone = await restart(folder, deployment);
    expect(await orderNumbers(alone.url)).toEqual(numbers);
    expect(await quarantined(alone.url, adapterKey)).toBe(1);
    await alone.close();

    // And there again: the deployment that was moved away may come back.
    expect(await atTerminal(folder, ["move", "--to", store])).toMatchObject({ code: 0 });
    expect(await orderNumbers((await startSharing({ store, deployment })).url)).toEqual(numbers);
  });

  test("a copy of a deployment is not started without its PostgreSQL", async () => {
    const deployment = newDeployment();
    const folder = temporaryFolder();
    await (await startSharing({ store, deployment, folder })).close();
    await expect(restart(folder, deployment)).rejects.toThrow("is a copy of a deployment in PostgreSQL");
  });

  test("a move that is interrupted before any step ends right when it is run again", async () => {
    const { deployment, dataFolder, folder, numbers } = await stoppedFolder();
    const { config } = await loadConfig({ env: {}, cwd: folder });
    const needs = { dataFolder, url: store, deployment, notify: () => {}, projection: projectionOf(config) };
    for (const move of [moveToPostgres, moveToFolder, moveToPostgres]) {
      const steps: string[] = [];
      for (let isDone = false; !isDone; ) {
        let isInterrupted = false;
        const onStep = (step: string) => {
          // One of the files beside the journal stands for all of them.
          if (isInterrupted || steps.includes(step) || !/crossdock|intake|^[^.]*$/.test(step)) return;
          isInterrupted = true;
          steps.push(step);
          throw new Error(`killed before: ${step}`);
        };
        await move({ ...needs, onStep }).catch((error: Error) => expect(error.message).toMatch(/^killed/));
        isDone = !isInterrupted;
        // Where both places may seem to be the right one, neither is started.
        if (isInterrupted && /aside|in place|mark/.test(steps.at(-1) ?? ""))
          expect(() => refuseMovedFolder(dataFolder, null)).toThrow(/was interrupted, and nothing is lost/);
      }
      expect(steps.length).toBeGreaterThan(10);
      expect(steps).toContain("set crossdock.db aside");
      expect(existsSync(join(dataFolder, "crossdock.db"))).toBe(move === moveToFolder);
    }
    const owner = await startSharing({ store, deployment });
    expect(await orderNumbers(owner.url)).toEqual(numbers);
  });

  test("a target that has data, cannot be reached or may not be used is named, and nothing is touched", async () => {
    const { deployment, folder, dataFolder, numbers } = await stoppedFolder();
    const taken = await startSharing({ store, deployment });
    // Whoever reads a file of SQLite leaves an empty log beside it.
    const files = () =>
      readdirSync(dataFolder)
        .filter((name) => !/-(wal|shm)$/.test(name))
        .sort();
    const before = files();
    const refusals: string[] = [];
    const refused = async (...argv: string[]) => {
      writeFileSync(join(folder, "crossdock.yaml"), JSON.stringify({ deployment }));
      const { code, errors } = await atTerminal(folder, ["move", ...argv]);
      expect(code).not.toBe(0);
      expect(errors).not.toContain(String(address["password"]));
      refusals.push(errors);
    };
    await refused("--to", store);
    await taken.close();
    await fill(store, deployment);
    await refused("--to", store);
    await refused("--to", urlOf({ ...address, port: await freePort() }));
    await refused("--to", urlOf({ ...address, password: "guessed" }));
    await refused("--to", "sqlite");
    await refused("--to", "oracle");
    await refused();
    expect(refusals).toEqual([
      expect.stringMatching(/owns the deployment .*\nNext: stop its processes first/),
      expect.stringMatching(/already has a deployment .* with data/),
      expect.stringMatching(/ECONNREFUSED/),
      expect.stringMatching(/does not let the user postgres in/),
      expect.stringMatching(/no PostgreSQL is configured/),
      expect.stringMatching(/target is missing or not known/),
      expect.stringMatching(/target is missing or not known/),
    ]);
    expect(files()).toEqual(before);
    const alone = await restart(folder, deployment);
    expect(await orderNumbers(alone.url)).toEqual(numbers);
    const running = await atTerminal(folder, ["move", "--to", store]);
    expect(running).toMatchObject({
      code: 1,
      errors: expect.stringMatching(/Next: stop the adapter on this data folder/),
    });
  });

  test("a folder with data of its own is not started with a PostgreSQL, which would replace it", async () => {
    const { deployment, folder, dataFolder, numbers } = await stoppedFolder();
    await expect(startSharing({ store, deployment, folder })).rejects.toMatchObject({
      message: expect.stringMatching(/data that is not in PostgreSQL/),
      next: expect.stringMatching(/crossdock move --to/),
    });
    expect(existsSync(join(dataFolder, "crossdock.db"))).toBe(true);
    const alone = await restart(folder, deployment);
    expect(await orderNumbers(alone.url)).toEqual(numbers);
  });
});

/** Lies in a file beside the journal. */
function quarantineOne(dataFolder: string): void {
  const needs = { dataFolder, clock: systemClock, timers: systemTimers, log: silentLog };
  const file = openIntakeFile(needs);
  const bad = {
    source: "erp",
    kind: "workOrders",
    origin: "orders.csv",
    raw: { number: "4711" },
    number: "4711",
  } as const;
  file.quarantine.keep({ ...bad, problems: [{ field: "dueDate", expected: "present" }] });
  file.close();
}

async function quarantined(url: string, key = apiKey): Promise<number> {
  const response = await fetch(`${url}/admin/quarantine`, { headers: { "x-api-key": key } });
  const { records } = (await response.json()) as { records: unknown[] };
  return records.length;
}

/** So that the deployment has data. */
async function fill(store: string, deployment: string): Promise<void> {
  const owner = await startSharing({ store, deployment });
  const order = { number: "1", dueDate: "2030-01-31", requests: [{ itemNumber: "100100", requestedAmount: 2 }] };
  await fetch(`${owner.url}/inbound/work-orders`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": apiKey },
    body: JSON.stringify(order),
  });
  await owner.close();
}
