import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { operations } from "../../../src/contract/operations.ts";
import { startAdapter } from "../../support/adapter/adapter.ts";
import { wideStep } from "../../support/adapter/hostile-bodies.ts";
import { onEveryDatabase } from "../../support/connectors/sql-databases.ts";
import { longestStall, workedMs } from "../../support/longest-stall.ts";

/** Another program can lengthen the stall of a run, but not those of all. */
const mostRuns = 8;

await onEveryDatabase("a step of 10,000 lines", (database) => {
  const longText = database.driver === "mysql" ? "longtext" : "text";
  beforeAll(async () => {
    await database.execute(`CREATE TABLE steps (entry varchar(64), body ${longText})`);
  });
  afterEach(async () => {
    await database.execute("DELETE FROM steps");
  });

  test("becomes a row, and holds up others for less than encoding it at once takes", { timeout: 240_000 }, async () => {
    const statements = [{ sql: "INSERT INTO steps (entry, body) VALUES (:entryId, :body)" }];
    const erp = {
      ...{ type: "sql", ...database.options(), createDeliveredTable: true },
      operations: { confirmStep: { statements } },
    };
    const config = { connectors: { erp }, events: { to: "erp", modes: { confirmStep: "durable" } } };
    const { url } = await startAdapter({ config });
    const written = async () =>
      Number(Object.values((await database.execute("SELECT count(*) AS n FROM steps"))[0] ?? {})[0]);
    let last = { stallMs: 0, encodingMs: 0 };
    for (let run = 0; run === 0 || (last.stallMs >= last.encodingMs && run < mostRuns); run++) {
      // Made before: it is the work of the sender.
      const text = wideStep.replace('"workOrderNumber":"N"', `"workOrderNumber":"N${run}"`);
      const startedMs = workedMs();
      const body = Buffer.from(text);
      const encodingMs = workedMs() - startedMs;
      const { stallMs } = await longestStall(async () => {
        const headers = { "content-type": "application/json" };
        await (await fetch(url + operations.confirmStep.path, { method: "POST", body, headers })).arrayBuffer();
        await vi.waitFor(async () => expect(await written()).toBe(run + 1), { timeout: 60_000, interval: 200 });
      });
      last = { stallMs, encodingMs };
    }
    expect(last.stallMs).toBeLessThan(last.encodingMs);
    const [row] = await database.execute("SELECT body FROM steps WHERE body LIKE '%\"N0\"%'");
    const stored: unknown = JSON.parse(String(row?.["body"]));
    expect(stored).toMatchObject(JSON.parse(wideStep.replace('"workOrderNumber":"N"', '"workOrderNumber":"N0"')));
  });
});
