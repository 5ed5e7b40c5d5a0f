import { join } from "node:path";
import { expect, test } from "vitest";
import { operations } from "../../../src/contract/operations.ts";
import { pushRow } from "../../../src/contract/pushes.ts";
import { openDatabase } from "../../../src/kit/sqlite/sqlite.ts";
import { changeNoticesIn } from "../../../src/store/queries/change-notice.ts";
import { apiKey, startAdapter } from "../../support/adapter/adapter.ts";
import { leastStall, workedMs } from "../../support/longest-stall.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const lines = 3_000;

test("scans of a long order that was changed or cancelled hold up others for a fraction of what their text takes", async () => {
  const folder = temporaryFolder();
  const { url } = await startAdapter({ folder });
  const headers = { "content-type": "application/json", "x-api-key": apiKey };
  const post = async (path: string, body: unknown) => {
    const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
    return response.status;
  };
  const requests = Array.from({ length: lines }, (_, nth) => ({ itemNumber: `A-${nth}`, requestedAmount: 5 }));
  const order = { number: "LONG", deliveryNumber: "WALL", dueDate: "2030-01-31", requests };
  expect(await post(pushRow("workOrders").path, order)).toBe(202);
  await post(operations.attachWorkOrder.path, { workOrderNumber: "LONG", containerCode: "T1" });
  expect(await post(pushRow("cancellations").path, { workOrderNumber: "LONG" })).toBe(202);

  const database = openDatabase(join(folder, "data", "crossdock.db"), { readOnly: true });
  const here = changeNoticesIn(database);
  const startedMs = workedMs();
  const notice = here("LONG");
  const hereMs = workedMs() - startedMs;
  database.close();
  expect(notice).toMatchObject({ isCalledOff: true, scan: { key: "events.order-cancelled" } });

  // With another storage each time, because the answer of a scan is kept.
  const byCode = (run: number) => `${operations.findWorkOrderByCode.path}?Code=LONG&StorageName=S${run}`;
  const byWall = () => operations.findPutWallOrders.path.replace(/\{\w+\}/, "WALL");
  for (const path of [byCode, byWall]) {
    const scan = async (run: number) => {
      const answer = Object(await (await fetch(url + path(run))).json());
      expect(answer).toMatchObject({ isResultSuccess: true });
      expect(answer.externalMessage).toContain("LONG");
    };
    expect(await leastStall(scan, { below: hereMs / 2, most: 5 })).toBeLessThan(hereMs / 2);
  }
});
