import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { peerGroup } from "../../../test/peers/peer.ts";
import { newDeployment, urlOf } from "../../../test/replication/deployment.ts";
import { beginning, type Change, nextChange } from "../change.ts";
import { appendChange } from "./append-change.ts";
import { changesAfter, deploymentState } from "./change-log.ts";
import { hangUp, openClient } from "./open-client.ts";
import { prepareTables } from "./prepare-tables.ts";

await peerGroup("postgres", "a change that is added", (address) => {
  const opened = async () => {
    const client = await openClient({ url: urlOf(address), name: "append", timeoutMs: 60_000 });
    await prepareTables(client);
    const deployment = newDeployment();
    await deploymentState(client, deployment);
    return { client, owner: { deployment, epoch: 0, leaseMs: 60_000 } };
  };
  const plain = ({ number, hash, body, layout }: Change) => [
    number,
    ...[hash, body].map((one) => Buffer.from(one)),
    layout,
  ];

  test("is stored as it is, short, long and empty, with and without a layout, and in other letters", async () => {
    const { client, owner } = await opened();
    const bodies = [new Uint8Array(), new Uint8Array([0, 255]), randomBytes(1_000_000)];
    const changes: Change[] = [];
    for (const [index, body] of bodies.entries()) {
      const after = changes.at(-1) ?? beginning;
      changes.push({ ...nextChange(after, body), layout: [null, "1a", "größe ✓"][index] ?? null });
    }
    for (const change of changes) expect(await appendChange(client, owner, change)).toBe(true);
    expect((await changesAfter(client, owner.deployment, 0)).map(plain)).toEqual(changes.map(plain));
    await hangUp(client);
  });

  test("is not stored twice, nor for another owner", async () => {
    const { client, owner } = await opened();
    const change = nextChange(beginning, new Uint8Array([1]));
    expect(await appendChange(client, { ...owner, epoch: 1 }, change)).toBe(false);
    expect(await appendChange(client, owner, change)).toBe(true);
    expect(await appendChange(client, owner, change)).toBe(false);
    await hangUp(client);
  });

  test("may have a number of more than 32 bits", async () => {
    const { client, owner } = await opened();
    const before = { number: 2 ** 40, hash: beginning.hash };
    await client.query("UPDATE crossdock.deployment SET last_number = $2 WHERE name = $1", [
      owner.deployment,
      before.number,
    ]);
    expect(await appendChange(client, owner, nextChange(before, new Uint8Array([1])))).toBe(true);
    expect(await deploymentState(client, owner.deployment)).toMatchObject({ number: 2 ** 40 + 1 });
    await hangUp(client);
  });

  test("is prepared once for each connection, and the connection works on after an error", async () => {
    const { client, owner } = await opened();
    const change = nextChange(beginning, new Uint8Array([1]));
    const unknown = { ...change, number: Number.NaN };
    await expect(appendChange(client, owner, unknown)).rejects.toThrow("bigint");
    expect(await appendChange(client, owner, change)).toBe(true);
    await expect(appendChange(client, owner, unknown)).rejects.toThrow("bigint");
    const { rows } = await client.query("SELECT count(*)::int FROM pg_prepared_statements WHERE name LIKE 'append%'");
    expect(rows).toEqual([{ count: 1 }]);
    expect(await appendChange(client, owner, nextChange(change, new Uint8Array([2])))).toBe(true);
    await hangUp(client);
  });

  test("fails if the connection ends before the answer", async () => {
    const { client, owner } = await opened();
    const appending = appendChange(client, owner, nextChange(beginning, randomBytes(5_000_000)));
    void hangUp(client);
    await expect(appending).rejects.toThrow();
  });
});
