import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openDatabase } from "../../src/kit/sqlite/sqlite.ts";
import { apiKey, startAdapter } from "../support/adapter/adapter.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const order = (number: string, requestedAmount = 2) => ({
  ...{ number, dueDate: "2099-03-01T08:00:00Z" },
  requests: [{ itemNumber: "A-1", requestedAmount }],
});

async function push(url: string, topic: string, content: unknown): Promise<number> {
  const response = await fetch(`${url}/inbound/${topic}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": apiKey },
    body: JSON.stringify(content),
  });
  return response.status;
}

interface Kept {
  readonly records: readonly { readonly source: string; readonly kind: string; readonly number: string }[];
}

async function kept(url: string): Promise<readonly string[]> {
  const response = await fetch(`${url}/admin/quarantine`, { headers: { "x-api-key": apiKey } });
  const { records } = (await response.json()) as Kept;
  return records.map(({ source, kind, number }) => `${source} ${kind} ${number}`).sort();
}

/** As a version without these limits has left it. */
function storeAsBefore(folder: string): void {
  const file = join(folder, "data", "crossdock.db");
  const database = openDatabase(file);
  database.exec(
    `UPDATE work_order SET json = replace(json, '"requestedAmount":2', '"requestedAmount":3000000000') WHERE number = 'BAD';
     UPDATE item SET json = json_set(json, '$.name', '${"x".repeat(5000)}') WHERE number = 'LONG'`,
  );
  database.close();
  // Written past the journal, which would take it for damage; and nothing was noted by that version.
  for (const part of [".sums", ".witness"]) rmSync(file + part);
  for (const part of ["", "-wal", "-shm"]) rmSync(join(folder, "data", `notes.db${part}`), { force: true });
}

test("stored orders and items beyond the limits are never served, and stand in quarantine with the reason", {
  timeout: 120_000,
}, async () => {
  const folder = temporaryFolder();
  const first = await startAdapter({ folder });
  expect(await push(first.url, "work-orders", [order("GOOD"), order("BAD")])).toBe(202);
  expect(
    await push(first.url, "items", [
      { number: "LONG", name: "n" },
      { number: "SHORT", name: "n" },
    ]),
  ).toBe(202);
  await first.close();
  storeAsBefore(folder);

  const { client, url } = await startAdapter({ folder });
  const listed = await client.listWorkOrders(undefined);
  expect(listed.data?.map(({ number }) => number)).toEqual(["GOOD"]);
  expect(listed.externalMessage).toContain("BAD");
  expect(await client.findWorkOrderByCode({ Code: "BAD" })).toMatchObject({ isResultSuccess: false, data: null });
  expect(await client.findWorkOrderByCode({ Code: "GOOD" })).toMatchObject({ data: { number: "GOOD" } });
  expect(await client.findPutWallOrders({ code: "BAD" })).toMatchObject({ isResultSuccess: false });
  expect(await client.getItem({ number: "LONG" })).toMatchObject({ isResultSuccess: false, data: null });
  expect(await client.getItem({ number: "SHORT" })).toMatchObject({ data: { number: "SHORT" } });
  expect(await kept(url)).toEqual(["embedded items LONG", "embedded workOrders BAD"]);

  // Pushed again within the limits, it is served, and let go.
  expect(await push(url, "work-orders", order("BAD", 3))).toBe(202);
  expect((await client.listWorkOrders(undefined)).data?.map(({ number }) => number)).toEqual(["GOOD", "BAD"]);
  expect(await kept(url)).toEqual(["embedded items LONG"]);
});
