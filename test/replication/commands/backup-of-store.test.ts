import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { peerGroup } from "../../peers/peer.ts";
import { startAdapter } from "../../support/adapter/adapter.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { newDeployment, urlOf } from "../deployment.ts";
import { orderNumbers, pushOrder, startSharing } from "../replicated-adapter.ts";
import { atTerminal } from "./at-terminal.ts";

await peerGroup("postgres", "a backup of a deployment in PostgreSQL", (address) => {
  const store = urlOf(address);

  test("is restored and started without PostgreSQL, and with it only on purpose", async () => {
    const deployment = newDeployment();
    const owner = await startSharing({ store, deployment, config: {} });
    await pushOrder(owner.url, "1");
    const backup = join(owner.folder, "saved");
    expect(await atTerminal(owner.folder, ["backup", backup])).toMatchObject({ code: 0 });
    await pushOrder(owner.url, "2");
    await owner.close();

    // PostgreSQL is lost.
    const folder = temporaryFolder();
    const data = join(folder, "data");
    const elsewhere = await atTerminal(folder, ["restore", backup, "--data", data]);
    expect(elsewhere).toMatchObject({ code: 0, out: expect.stringContaining("PostgreSQL was not changed") });
    const alone = await startAdapter({ folder, config: { deployment } });
    expect(await orderNumbers(alone.url)).toEqual(["1"]);
    await alone.close();

    // It is there: its newer data must not appear as what was restored.
    const here = await atTerminal(owner.folder, ["restore", backup, "--yes"]);
    expect(here).toMatchObject({ code: 0, out: expect.stringContaining("start it without `store`") });
    expect(existsSync(join(owner.folder, "data", "before-restore-1"))).toBe(true);
    await expect(startSharing({ store, deployment, config: {}, folder: owner.folder })).rejects.toThrow(
      "data that is not in PostgreSQL",
    );
  });
});
