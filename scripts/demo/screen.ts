import type { MockErp } from "../../src/tools/mock-erp/start-mock-erp.ts";
import type { FloorView } from "../../src/tools/simulator/simulation.ts";

export interface DemoView {
  readonly shift: number;
  readonly floor: FloorView | null;
  readonly erp: MockErp;
  readonly adapterUrl: string;
  readonly waiting: number;
  readonly notes: readonly string[];
}

const barLength = 30;
const shownRequests = 5;

function bar(share: number): string {
  const full = Math.round(Math.min(1, share) * barLength);
  return "█".repeat(full) + "░".repeat(barLength - full);
}

const ms = (time: number) => `${time.toFixed(1)} ms`;

export function orderStates({ state: records }: MockErp): string {
  const states = new Map<string, number>();
  for (const { state } of records.orders.values()) states.set(state, (states.get(state) ?? 0) + 1);
  return ["released", "started", "completed", "cancelled"]
    .map((state) => `${states.get(state) ?? 0} ${state}`)
    .join(", ");
}

/** The demo screen: floor, adapter and ERP at a glance. */
export function demoScreen({ shift, floor, erp, adapterUrl, waiting, notes }: DemoView): string[] {
  const { state: records, recorded, faults } = erp;
  const [done, total] = [floor?.ordersDone ?? 0, floor?.ordersTotal ?? 0];
  const { all, callsPerSecond } = floor?.tally ?? { all: null, callsPerSecond: () => 0 };
  const requests = recorded.since(recorded.count() - shownRequests);
  return [
    "Crossdock demo: a floor, an adapter, an ERP                                  Ctrl+C ends it",
    "",
    `PLATFORM  shift ${shift}, ${floor?.phase ?? "before the shift"}`,
    `  ${bar(total === 0 ? 0 : done / total)} ${done} of ${total} orders`,
    `  ${all?.count() ?? 0} calls, ${callsPerSecond().toFixed(0)}/s, p50 ${ms(all?.percentileMs(0.5) ?? 0)}, p99 ${ms(all?.percentileMs(0.99) ?? 0)}, ${floor?.tally.findingCount() ?? 0} findings`,
    ...(floor?.operatorStates ?? []).map(
      ({ where, task }, index) => `  operator ${index + 1}  ${where.padEnd(8)} ${task}`,
    ),
    "",
    `ADAPTER   ${adapterUrl}`,
    `  ${waiting} events wait for the ERP`,
    "",
    `ERP       ${erp.url}/api${faults.current.isDown ? "  DOWN" : ""}`,
    `  ${orderStates(erp)}`,
    `  ${records.eventCount()} events booked, ${records.repeatCount()} came twice and were booked once`,
    ...requests.map(
      ({ method, path, status, fault }) =>
        `  ${method.padEnd(4)} ${path.slice(0, 60).padEnd(60)} ${status ?? "cut"}${fault === null ? "" : `  (${fault})`}`,
    ),
    "",
    ...notes.slice(-4),
  ];
}
