import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { moveToFolder } from "../../src/app/move/move-to-folder.ts";
import { moveToPostgres } from "../../src/app/move/move-to-postgres.ts";
import { projectionOf } from "../../src/app/replicated/projection-of.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { tableDigests } from "../../src/replication/copy/table-digests.ts";
import { freePort } from "../peers/free-port.ts";
import { peerGroup } from "../peers/peer.ts";
import { startAdapter } from "../support/adapter/adapter.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { atTerminal } from "./at-terminal.ts";
import { newDeployment, urlOf } from "./deployment.ts";
import { apiKey, orderNumbers, startSharing } from "./replicated-adapter.ts";

await peerGroup("postgres", "moving a deployment", (address) => {
  const store = urlOf(address);

  /** A folder with a sample warehouse, whose adapter is stopped. */
  const stoppedFolder = async () => {
    const deployment = newDeployment();
    const folder = temporaryFolder();
    const { url, close } = await startAdapter({ folder, config: { deployment }, sample: true });
    const numbers = await orderNumbers(url);
    await close();
    return { deployment, folder, dataFolder: join(folder, "data"), numbers };
  };
  const restart = (folder: string, deployment: string) => startAdapter({ folder, config: { deployment } });

  test("a folder is moved to PostgreSQL and back, and each time everything is there", async () => {
    const { deployment, folder, dataFolder, numbers } = await stoppedFolder();
    expect(numbers.length).toBeGreaterThan(0);
    const before = tableDigests(join(dataFolder, "crossdock.db"));
    const there = await atTerminal(folder, ["move", "--to", store]);
    expect(there).toMatchObject({ code: 0, out: expect.stringContaining("read back and the same") });
    for (const { table, rows, sha256 } of before) {
      expect(there.out).toMatch(new RegExp(`${table} +${rows} +${sha256.slice(0, 16)}`));
    }
    // The source cannot be started by mistake, nor moved a second time.
    await expect(restart(folder, deployment)).rejects.toThrow(/was moved to postgres:.*as deployment/);
    expect((await atTerminal(folder, ["move", "--to", store])).errors).toMatch(/was moved to .* before/);

    const owner = await startSharing({ store, deployment, folder });
    expect(await orderNumbers(owner.url)).toEqual(numbers);
    const elsewhere = await startSharing({ store, deployment });
    await owner.close();
    await expect.poll(() => elsewhere.role(), { timeout: 60_000 }).toBe("owner");
    await expect.poll(() => orderNumbers(elsewhere.url), { timeout: 60_000 }).toEqual(numbers);
    await elsewhere.close();

    const back = await atTerminal(folder, ["move", "--to", "sqlite"], { CROSSDOCK_STORE: store });
    expect(back).toMatchObject({ code: 0, out: expect.stringContaining("read back and the same") });
    await expect(startSharing({ store, deployment })).rejects.toThrow(/was moved to .*data/);
    const alone = await restart(folder, deployment);
    expect(await orderNumbers(alone.url)).toEqual(numbers);
    await alone.close();

    // And there again: the deployment that was moved away may come back.
    expect(await atTerminal(folder, ["move", "--to", store])).toMatchObject({ code: 0 });
    expect(await orderNumbers((await startSharing({ store, deployment })).url)).toEqual(numbers);
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
          if (isInterrupted || steps.includes(step)) return;
          isInterrupted = true;
          steps.push(step);
          throw new Error(`killed before: ${step}`);
        };
        await move({ ...needs, onStep }).catch((error: Error) => expect(error.message).toMatch(/^killed/));
        isDone = !isInterrupted;
      }
      expect(steps.length).toBeGreaterThan(3);
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
