import { expect, onTestFinished, test } from "vitest";
import { missingProgram } from "../../chaos/harness/disks/tools.ts";
import { startParts } from "../../scripts/day/bad-day-parts.ts";
import { unseenOn } from "../../scripts/day/panel-signs.ts";
import { queryPrometheus } from "../../scripts/day/query-prometheus.ts";
import { createClient } from "../../src/contract/derive/client.ts";
import { browserGroup } from "../console/browser.ts";
import { signIn } from "../console/console-stage.ts";

const missing = missingProgram({ prometheus: "prometheus" });
/** What this day is about. `npm run test:bad-day` looks at every panel. */
const shownPanels = [
  ...["Failed deliveries", "Oldest waiting event", "Targets that do not answer"],
  ...["Entries by state", "Commands per commit", "Memory", "Standby behind"],
];
const waits = { timeout: 120_000, interval: 250 };

browserGroup("a bad day of the compose file's parts", (newTab) => {
  test("is seen on the dashboard, then in the console, and is mended there", { timeout: 600_000 }, async ({ skip }) => {
    skip(missing !== null, missing ?? "");
    const { url, key, startErp, stopErp, stop, ...parts } = await startParts({ quick: true });
    onTestFinished(stop);
    const began = Date.now();
    const { ask, panel, history } = queryPrometheus(parts.prometheus);
    const client = createClient({ baseUrl: url, apiKey: key });
    const shown = (title: string) => expect.poll(() => panel(title).catch(() => null), waits);
    const alerts = async () => {
      const firing = await ask('ALERTS{alertstate="firing"}').catch(() => []);
      const names = new Set(firing.map(({ metric }) => metric["alertname"] ?? ""));
      // Whether the machine that runs the tests is busy is not asked here.
      return [...names].filter((name) => !/CommitsSlow|EventLoopBusy/.test(name));
    };
    const place = async (workOrderNumber: string) => {
      const placed = { workOrderNumber, itemNumber: "A-100", completedAmount: 1, userEmail: "jo@example.com" };
      expect(await client.confirmPutWallPlacement(placed)).toMatchObject({ isResultSuccess: true });
    };
    await expect.poll(async () => (await fetch(`${url}/health/ready`).catch(() => null))?.status, waits).toBe(200);
    await shown("Processes that answer").toBe(1);
    await expect.poll(alerts, waits).toEqual([]);
    const { page, trouble } = await newTab();
    await signIn(page, url, { key });

    // The ERP is down; what it would refuse waits.
    await stopErp();
    for (const order of ["NONE-1", "NONE-2", "NONE-3"]) await place(order);
    await shown("Targets that do not answer").toBe(1);
    await expect.poll(alerts, waits).toContain("CrossdockTargetUnreachable");
    await page.getByRole("link", { name: "Deliveries" }).click();
    await page.getByRole("button", { name: /Could not reach erp/ }).waitFor();

    // It is back, and refuses them.
    startErp();
    await shown("Failed deliveries").toBe(3);
    await expect.poll(alerts, waits).toContain("CrossdockDeliveryFailed");
    await page.getByRole("link", { name: "Overview" }).click();
    await page.getByRole("link", { name: /^3 Needs attention/ }).click();
    await page.getByRole("button", { name: /3 Said no erp/ }).click();
    await page.getByRole("button", { name: "Skip", exact: true }).click();
    await page.getByText("This affects 3 deliveries.").waitFor();
    await page.getByLabel(/^Reason/).fill("there are no such orders");
    await page.getByRole("button", { name: "Skip 3" }).click();
    await page.getByText("3 done, 0 not possible").waitFor();
    await page.getByRole("button", { name: "Close" }).last().click();
    await page.getByText("Nothing is waiting").waitFor();

    await shown("Failed deliveries").toBe(0);
    await shown("Waiting events").toBe(0);
    await shown("Targets that do not answer").toBe(0);
    await expect.poll(alerts, waits).toEqual([]);
    expect(trouble).toEqual([]);
    for (const title of shownPanels) expect(unseenOn(title, await history(title, began))).toEqual([]);
  });
});
