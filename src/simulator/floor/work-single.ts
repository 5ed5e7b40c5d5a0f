import type { RunningOrder } from "../orders/running-order.ts";
import { askReport } from "./ask-report.ts";
import { attach } from "./attach.ts";
import type { Desk } from "./desk.ts";
import { fetchOrder } from "./fetch-order.ts";
import { pickLines } from "./pick-lines.ts";
import { speakUp } from "./speak-up.ts";
import { workBesides, workFollowUps } from "./work-follow-ups.ts";

/** One order from scan to report, and what was added to it meanwhile. */
export async function workSingle(desk: Desk, running: RunningOrder): Promise<void> {
  const { number } = running.order;
  await desk.work("desk", `${number} begins`, 2000);
  if (!(await fetchOrder(desk, running))) return;
  await pickSingle(desk, running);
  await speakUp(desk, running, "after");
  if (desk.random.chance(0.15)) await askReport(desk, [running]);
  await workFollowUps(desk, running, (followUp) => pickSingle(desk, followUp));
}

async function pickSingle(desk: Desk, running: RunningOrder): Promise<void> {
  const { number } = running.order;
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
  await pickLines(desk, stops, {
    isCart: false,
    containersOf: () => [container],
    meanwhile: (one) => workBesides(desk, one, (followUp) => pickSingle(desk, followUp)),
  });
  const isCancelled = running.lines.every((line) => line.isCancelled);
  if (isCancelled && container !== null) await attach(desk, number, container, true);
}
