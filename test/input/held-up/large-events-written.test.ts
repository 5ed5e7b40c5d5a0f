import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test, vi } from "vitest";
import { operations } from "../../../src/contract/operations.ts";
import { inputReader } from "../../../src/server/contract/read-input.ts";
import { startAdapter } from "../../support/adapter/adapter.ts";
import { largestStep } from "../../support/adapter/hostile-bodies.ts";
import { longestStall, workedMs } from "../../support/longest-stall.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const reader = inputReader();
const line = { each: "data.updateWorkOrderRequest.itemRequests", map: { item: "itemNumber", note: "externalData" } };
test.each([
  ["a JSON file with a mapping", () => files({ format: "json", map: { no: "data.workOrderNumber", lines: line } })],
  ["an XML file", () => files({ format: "xml" })],
  ["a CSV file", () => files({ format: "csv" })],
  ["a row of a database", database],
])(
  "a step of 10,000 lines is written as %s, and holds up others for less than reading it takes",
  async (_how, open) => {
    const { erp, written } = open();
    const config = { connectors: { erp }, events: { to: "erp", modes: { confirmStep: "durable" } } };
    const { url } = await startAdapter({ config });
    const stalls: number[] = [];
    for (let run = 0; run < 3; run++) {
      const { stallMs } = await longestStall(async () => {
        const body = Buffer.from(largestStep.replace('"workOrderNumber":"N"', `"workOrderNumber":"N${run}"`));
        const headers = { "content-type": "application/json" };
        await (await fetch(url + operations.confirmStep.path, { method: "POST", body, headers })).arrayBuffer();
        await vi.waitFor(() => expect(written()).toBe(run + 1), { timeout: 60_000, interval: 200 });
      });
      stalls.push(stallMs);
    }
    const startedMs = workedMs();
    reader.fromBody("confirmStep", Buffer.from(largestStep));
    expect(Math.min(...stalls)).toBeLessThan(workedMs() - startedMs);
  },
);

function files(all: object) {
  const folder = temporaryFolder();
  const written = () => readdirSync(folder).filter((name) => !name.startsWith(".")).length;
  return { erp: { type: "files", location: folder, out: { all } }, written };
}

function database() {
  const file = join(temporaryFolder(), "erp.db");
  const own = new DatabaseSync(file);
  own.exec("CREATE TABLE steps (entry TEXT, body TEXT)");
  own.close();
  const statements = [{ sql: "INSERT INTO steps (entry, body) VALUES (:entryId, :body)" }];
  const erp = {
    ...{ type: "sql", driver: "sqlite", file, createDeliveredTable: true },
    operations: { confirmStep: { statements } },
  };
  const written = () => {
    const reading = new DatabaseSync(file, { readOnly: true });
    const found = reading.prepare("SELECT count(*) AS n FROM steps").get();
    reading.close();
    return Number(Reflect.get(Object(found), "n"));
  };
  return { erp, written };
}
