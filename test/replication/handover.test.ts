import { expect, test } from "vitest";
import { peerGroup } from "../peers/peer.ts";
import { newDeployment, urlOf } from "./deployment.ts";
import { startSharing } from "./replicated-adapter.ts";

await peerGroup("postgres", "handing a deployment over", (address) => {
  const store = urlOf(address);

  test("while the owner stops and its successor starts, the successor's address answers every request", async () => {
    const deployment = newDeployment();
    const owner = await startSharing({ store, deployment });
    const standby = await startSharing({ store, deployment });
    const failures: unknown[] = [];
    let answered = 0;
    let isOver = false;
    const caller = async () => {
      while (!isOver) {
        try {
          const response = await fetch(`${standby.url}/Status`);
          if (response.ok) answered++;
          else failures.push(response.status);
          await response.arrayBuffer();
        } catch (error) {
          failures.push(error);
        }
      }
    };
    const callers = [caller(), caller(), caller()];
    await expect.poll(() => answered).toBeGreaterThan(10);
    await owner.close();
    await expect.poll(() => standby.role(), { timeout: 60_000 }).toBe("owner");
    const before = answered;
    await expect.poll(() => answered).toBeGreaterThan(before + 10);
    isOver = true;
    await Promise.all(callers);
    expect(failures).toEqual([]);
  });
});
