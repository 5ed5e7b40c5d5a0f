import { expect, onTestFinished, test } from "vitest";
import { peerGroup } from "../../../../test/peers/peer.ts";
import { urlOf } from "../../../../test/replication/deployment.ts";
import { clientPool } from "./client-pool.ts";

await peerGroup("postgres", "connections of many deployments", (address) => {
  const open = (most: number) => {
    const pool = clientPool({ url: urlOf(address), name: "test", timeoutMs: 60_000, most });
    onTestFinished(pool.close);
    return pool;
  };
  const backend = "SELECT pg_backend_pid() AS pid";

  test("requests wait for a free connection, in their order", async () => {
    const { request } = open(1);
    const begun: number[] = [];
    const pids = await Promise.all(
      Array.from({ length: 20 }, (_, nth) =>
        request(async (client) => {
          begun.push(nth);
          return (await client.query<{ pid: number }>(backend)).rows[0]?.pid;
        }),
      ),
    );
    expect(new Set(pids).size).toBe(1);
    expect(begun).toEqual(Array.from({ length: 20 }, (_, nth) => nth));
  });

  test("a request never shares its connection with another one", async () => {
    const { request } = open(3);
    let inUse: unknown[] = [];
    const used = new Set<unknown>();
    await Promise.all(
      Array.from({ length: 12 }, () =>
        request(async (client) => {
          expect(inUse).not.toContain(client);
          inUse.push(client);
          used.add(client);
          await client.query(backend);
          inUse = inUse.filter((one) => one !== client);
        }),
      ),
    );
    expect(used.size).toBeLessThanOrEqual(3);
  });

  test("a request that gets no connection in time fails, instead of waiting for all before it", async () => {
    const { request, close } = clientPool({ url: urlOf(address), name: "test", timeoutMs: 2_000, most: 1 });
    onTestFinished(close);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const holding = request(() => held);
    await expect(request((client) => client.query(backend))).rejects.toThrow(/no connection was free/);
    release();
    await holding;
    expect((await request((client) => client.query(backend))).rowCount).toBe(1);
  });

  test("after an error the connection is replaced, and its place is free for the next request", async () => {
    const { request } = open(1);
    const pid = () => request(async (client) => (await client.query<{ pid: number }>(backend)).rows[0]?.pid);
    const before = await pid();
    await expect(request((client) => client.query("SELECT pg_terminate_backend(pg_backend_pid())"))).rejects.toThrow();
    const after = await pid();
    expect(after).not.toBe(before);
    expect(await pid()).toBe(after);
  });

  test("an error replaces every idle connection: one by one they would fail for longer than a lease", async () => {
    const { request } = open(4);
    const pid = () => request(async (client) => (await client.query<{ pid: number }>(backend)).rows[0]?.pid);
    const before = await Promise.all([pid(), pid(), pid(), pid()]);
    expect(new Set(before).size).toBe(4);
    await expect(request((client) => client.query("SELECT pg_terminate_backend(pg_backend_pid())"))).rejects.toThrow();
    const after = await Promise.all([pid(), pid(), pid(), pid()]);
    expect(after.filter((one) => before.includes(one))).toEqual([]);
  });

  test("a connection that was idle for long is replaced before it is used", async () => {
    let nowMs = 0;
    const pool = clientPool({ url: urlOf(address), name: "test", timeoutMs: 60_000, most: 2, now: () => nowMs });
    onTestFinished(pool.close);
    const pid = () => pool.request(async (client) => (await client.query<{ pid: number }>(backend)).rows[0]?.pid);
    const first = await pid();
    nowMs += 10_000;
    expect(await pid()).toBe(first);
    nowMs += 10_001;
    expect(await pid()).not.toBe(first);
  });
});
