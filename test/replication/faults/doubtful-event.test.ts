import { expect, onTestFinished, test } from "vitest";
import { operationRow } from "../../../src/contract/operations.ts";
import { looseWire } from "../../peers/loose-wire.ts";
import { peerGroup } from "../../peers/peer.ts";
import { newDeployment, urlOf } from "../deployment.ts";
import { startSharing } from "../replicated-adapter.ts";

await peerGroup("postgres", "an event that PostgreSQL may have stored", (address) => {
  test("gets no answer instead of a refusal, and is accepted when it is sent again", async () => {
    const wire = await looseWire(urlOf(address));
    onTestFinished(wire.close);
    const owner = await startSharing({ store: wire.url, deployment: newDeployment() });
    const place = async (workOrderNumber = "W-1") => {
      const response = await fetch(`${owner.url}${operationRow("confirmPutWallPlacement").path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ workOrderNumber, itemNumber: "A", completedAmount: 1 }),
      });
      return ((await response.json()) as { isResultSuccess: boolean }).isResultSuccess;
    };
    const placeWhileCut = async () => {
      // It renews the lease as well: for a while nothing else waits for PostgreSQL.
      await expect.poll(() => place("W-0"), { timeout: 60_000 }).toBe(true);
      wire.cut();
      const outcome = await place().then(String, (error: Error) => error.message);
      wire.mend();
      await expect.poll(() => owner.role(), { timeout: 60_000 }).toBe("owner");
      return outcome;
    };
    // On a busy machine it may still wait behind a renewal. Then it was never sent to PostgreSQL, and is refused.
    await expect.poll(placeWhileCut, { timeout: 300_000 }).toBe("fetch failed");
    await expect.poll(() => place(), { timeout: 60_000 }).toBe(true);
  });
});
