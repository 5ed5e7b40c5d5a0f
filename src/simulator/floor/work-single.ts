import type { RunningOrder } from "../orders/running-order.ts";
import { askReport } from "./ask-report.ts";
import { attach } from "./attach.ts";
import type { Desk } from "./desk.ts";
import { scanOrder } from "./look-up.ts";
import { pickLines } from "./pick-lines.ts";

/** One order from scan to report. */
export async function workSingle(desk: Desk, running: RunningOrder): Promise<void> {
  const { number } = running.order;
  await desk.work("desk", `${number} begins`, 2000);
  await scanOrder(desk, running);
  let container: string | null = `T-${number}`;
  if (desk.random.chance(0.6)) {
    if (!(await attach(desk, number, container))) container = null;
    // Interrupted and taken up again later, with another tote.
    else if (desk.random.chance(0.05)) {
      await attach(desk, number, container, true);
      container = `T-${number}-2`;
      await desk.work("desk", `${number} begins again`, 30_000);
      if (!(await attach(desk, number, container))) container = null;
    }
  } else container = null;
  const stops = running.lines.toSorted((a, b) => a.order - b.order).map((line) => ({ running, line }));
  await pickLines(desk, stops, { isCart: false, containersOf: () => [container] });
  const isCancelled = running.lines.every((line) => line.isCancelled);
  if (isCancelled && container !== null) await attach(desk, number, container, true);
  if (desk.random.chance(0.15)) await askReport(desk, [running]);
}
