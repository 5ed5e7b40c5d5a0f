import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { schema } from "../../../src/replication/postgres/open-client.ts";
import { peerGroup } from "../../peers/peer.ts";
import { startAdapter } from "../../support/adapter/adapter.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { newDeployment, onPostgres, urlOf } from "../deployment.ts";
import { orderNumbers, pushOrder, startSharing } from "../replicated-adapter.ts";
import { atTerminal } from "./at-terminal.ts";

await peerGroup("postgres", "restoring a deployment as it was at a time", (address) => {
  const store = urlOf(address);

  /** Three orders, an hour between each, the last one an hour ago; the owner runs on. */
  const threeHours = async () => {
    const deployment = newDeployment();
    const owner = await startSharing({ store, deployment, config: { timeZone: "Europe/Berlin" } });
    const of = `deployment = '${deployment}'`;
    for (const [index, number] of ["1", "2", "3"].entries()) {
      await pushOrder(owner.url, number);
      // Times only fall: what was stored before is at least as long ago.
      const hours = 3 - index;
      await onPostgres(
        store,
        `UPDATE ${schema}.change SET at = now() - interval '${hours} h' WHERE ${of} AND at > now() - interval '${hours} h'`,
      );
      if (index > 0) continue;
      await onPostgres(store, `UPDATE ${schema}.change SET at = now() - interval '3 h' WHERE ${of}`);
    }
    return { deployment, owner };
  };
  const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

  test("any time between two changes can be restored into a folder of its own, which starts without PostgreSQL", async () => {
    const { deployment, owner } = await threeHours();
    const listed = await atTerminal(owner.folder, ["restore", "--list"]);
    expect(listed).toMatchObject({ code: 0, out: expect.stringMatching(/^Any time can be restored from .* to now/) });
    for (const [hours, numbers] of [
      [2.5, ["1"]],
      [1.5, ["1", "2"]],
      [0.1, ["1", "2", "3"]],
    ] as const) {
      const folder = temporaryFolder();
      const argv = ["restore", "--at", ago(hours), "--into", join(folder, "data")];
      expect(await atTerminal(owner.folder, argv)).toMatchObject({ code: 0 });
      expect(readdirSync(folder)).toEqual(["data"]);
      const { url, close } = await startAdapter({ folder, config: { deployment } });
      expect(await orderNumbers(url)).toEqual(numbers);
      await close();
    }
    expect(await orderNumbers(owner.url)).toEqual(["1", "2", "3"]);
  });

  test("a time that is not there is refused with the times that are, and nothing is written", async () => {
    const { owner } = await threeHours();
    const into = join(owner.folder, "restored");
    const refused = async (...argv: string[]) => {
      const { code, errors } = await atTerminal(owner.folder, ["restore", ...argv]);
      expect(code).toBe(1);
      expect(existsSync(into)).toBe(false);
      return errors;
    };
    expect(await refused("--at", ago(30), "--into", into)).toMatch(
      /does not go back to .*\nNext: choose a time from .* to now/,
    );
    expect(await refused("--at", ago(-1), "--into", into)).toMatch(/is in the future/);
    expect(await refused("--at", "noon", "--into", into)).toMatch(/noon is not a time\nNext: write 09:41/);
    expect(await refused("--at", ago(1.5))).toMatch(/add --into/);
    expect(await refused("--at", ago(1.5), "--into", join(owner.folder, "data"))).toMatch(/already exists/);
    expect(await refused()).toMatch(/the backup is not named/);
    writeFileSync(join(owner.folder, "crossdock.yaml"), JSON.stringify({ deployment: newDeployment(), store }));
    expect(await refused("--at", ago(1.5), "--into", into)).toMatch(/has no history of the deployment/);
    writeFileSync(join(owner.folder, "crossdock.yaml"), "{}");
    expect(await refused("--at", ago(1.5), "--into", into)).toMatch(/no PostgreSQL is configured/);
  });
});
