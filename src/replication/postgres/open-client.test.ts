import { expect, test } from "vitest";
import { peerGroup } from "../../../test/peers/peer.ts";
import { newDeployment, onPostgres, urlOf } from "../../../test/replication/deployment.ts";
import { openClient } from "./open-client.ts";

await peerGroup("postgres", "a connection to PostgreSQL", (address) => {
  test("is closed if its time limits are refused", async () => {
    const url = urlOf(address);
    const name = newDeployment();
    await expect(openClient({ url, name, timeoutMs: -1 })).rejects.toThrow();
    const open = `SELECT 1 FROM pg_stat_activity WHERE application_name = '${name}'`;
    await expect.poll(() => onPostgres(url, open), { timeout: 60_000 }).toEqual([]);
  });
});
