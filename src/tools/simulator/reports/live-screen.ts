import { aisles, baysPerAisle } from "../orders/generate-items.ts";
import type { FloorView } from "../simulation.ts";

const widestBar = 40;
const narrowestBar = 8;
/** Space for the numbers beside the bar. */
const besideBar = 36;
const mostOperatorsDrawn = 61;
const signs = "123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** The live screen: always the same number of lines, so that it can be redrawn in place. */
export function liveScreen(
  view: FloorView,
  elapsedMs: number,
  { columns, rows }: { readonly columns: number; readonly rows: number },
): string[] {
  const { tally, ordersDone, ordersTotal, phase, desks, simulation } = view;
  const share = ordersTotal === 0 ? 0 : ordersDone / ordersTotal;
  const barWidth = Math.min(widestBar, Math.max(narrowestBar, columns - besideBar));
  const filled = Math.round(share * barWidth);
  const bar = `${"█".repeat(filled)}${"░".repeat(barWidth - filled)}`;
  const faults = [...tally.faults].map(([name, count]) => `${name} ${count}`).join("  ");
  const { all } = tally;
  return (
    [
      `  ${bar} ${ordersDone}/${ordersTotal} orders  ${phase}`,
      `  ${all.count()} calls  ${Math.round(tally.callsPerSecond())}/s  p50 ${ms(all.percentileMs(0.5))}  p95 ${ms(all.percentileMs(0.95))}  p99 ${ms(all.percentileMs(0.99))}`,
      `  ${(elapsedMs / 1000).toFixed(0)} s, on the floor ${hours(Math.max(0, ...desks.map(({ floorMs }) => floorMs)))}, speed ${simulation.speed ?? "max"}`,
      ...aisles.map((aisle) => `  ${aisle} ${aisleRow(view, aisle)}`),
      `  put wall ${standing(view, "put wall")}  dock ${standing(view, "dock")}  desk ${standing(view, "desk")}`,
      `  faults ${faults || "none"}  sent again ${tally.resent()}  findings ${tally.findingCount()}`,
    ]
      // A line that wraps would shift the next picture down instead of replacing this one.
      .slice(0, Math.max(1, rows - 1))
      .map((line) => line.slice(0, Math.max(1, columns - 1)))
  );
}

function aisleRow({ desks }: FloorView, aisle: string): string {
  const row = Array.from({ length: baysPerAisle }, () => "·");
  for (const [index, { where }] of desks.slice(0, mostOperatorsDrawn).entries()) {
    const [, name, bay] = /^([A-Z])-(\d+)$/.exec(where) ?? [];
    if (name === aisle && Number(bay) <= baysPerAisle) row[Number(bay) - 1] = signs[index] ?? "*";
  }
  return row.join("");
}

const standing = ({ desks }: FloorView, place: string): string =>
  desks
    .slice(0, mostOperatorsDrawn)
    .map(({ where }, index) => (where === place ? (signs[index] ?? "*") : ""))
    .join("") || "·";

const ms = (time: number): string => `${time < 10 ? time.toFixed(1) : Math.round(time)} ms`;
const hours = (time: number): string =>
  `${Math.floor(time / 3_600_000)}:${String(Math.floor(time / 60_000) % 60).padStart(2, "0")} h`;

/** One line for a pipe or a log. */
export const progressLine = ({ tally, ordersDone, ordersTotal, phase }: FloorView): string =>
  `${phase}: ${ordersDone}/${ordersTotal} orders, ${tally.all.count()} calls, ${Math.round(tally.callsPerSecond())}/s, p99 ${ms(tally.all.percentileMs(0.99))}, ${tally.findingCount()} findings`;
