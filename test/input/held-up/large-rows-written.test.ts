import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { operations } from "../../../src/contract/operations.ts";
import { inputReader } from "../../../src/server/contract/read-input.ts";
import { startAdapter } from "../../support/adapter/adapter.ts";
import { largestStep } from "../../support/adapter/hostile-bodies.ts";
import { onEveryDatabase } from "../../support/connectors/sql-databases.ts";
import { longestStall, workedMs } from "../../support/longest-stall.ts";

const reader = inputReader();
/** Nearly as large as an event may be, with letters beyond Latin-1, which take drivers longest to encode. */
const step = largestStep.replaceAll('"externalData":"', `"externalData":"${"€".repeat(180)}`);

await onEveryDatabase("a step of 10,000 lines", (database) => {
  const longText = database.driver === "mysql" ? "longtext" : "text";
  beforeAll(async () => {
    await database.execute(`CREATE TABLE steps (entry varchar(64), body ${longText})`);
  });
  afterEach(async () => {
    await database.execute("DELETE FROM steps");
  });

  test("becomes a row, and holds up others for less than reading it takes", { timeout: 240_000 }, async () => {
    const statements = [{ sql: "INSERT INTO steps (entry, body) VALUES (:entryId, :body)" }];
    const erp = {
      ...{ type: "sql", ...database.options(), createDeliveredTable: true },
      operations: { confirmStep: { statements } },
    };
    const config = { connectors: { erp }, events: { to: "erp", modes: { confirmStep: "durable" } } };
    const { url } = await startAdapter({ config });
    const written = async () =>
      Number(Object.values((await database.execute("SELECT count(*) AS n FROM steps"))[0] ?? {})[0]);
    const stalls: number[] = [];
    for (let run = 0; run < 3; run++) {
      // Made before: it is the work of the sender.
      const body = Buffer.from(step.replace('"workOrderNumber":"N"', `"workOrderNumber":"N${run}"`));
      const { stallMs } = await longestStall(async () => {
        const headers = { "content-type": "application/json" };
        await (await fetch(url + operations.confirmStep.path, { method: "POST", body, headers })).arrayBuffer();
        await vi.waitFor(async () => expect(await written()).toBe(run + 1), { timeout: 60_000, interval: 200 });
      });
      stalls.push(stallMs);
    }
    const startedMs = workedMs();
    reader.fromBody("confirmStep", Buffer.from(step));
    expect(Math.min(...stalls)).toBeLessThan(workedMs() - startedMs);
  });
});
