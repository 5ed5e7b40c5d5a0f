import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Booking as ErpBooking } from "../../src/tools/mock-erp/state/erp-records.ts";
import type { BookedEvent } from "../../src/tools/mock-erp/state/erp-state.ts";
import type { Booking, ExampleErp } from "./example-erp.ts";
import { startProcess } from "./start-process.ts";

const records = join(import.meta.dirname, "records.json");
const badOrder = "4719";

export interface StandIn extends Omit<ExampleErp, "env" | "isAskedLive"> {
  /** Where its REST interface is. */
  readonly apiUrl: string;
}

export interface StandInNeeds {
  /** Empty, for what it keeps. */
  readonly folder: string;
  /** Options of `crossdock mock-erp`, by which the examples differ. */
  readonly options: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** `crossdock mock-erp` with the orders of the shift; what its office does goes through its control. */
export async function startStandIn({ folder, options, env = {} }: StandInNeeds): Promise<StandIn> {
  const args = ["mock-erp", "--port", "0", "--data", records, "--every-ms", "200", ...options];
  const running = await startProcess({ args, cwd: folder, env });
  const url = /ERP\s+(\S+)\/api/.exec(running.output())?.[1] ?? "";
  const order = async (command: string, body: object) => {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${url}/control/${command}`, { method: "POST", headers, body: JSON.stringify(body) });
    assert.equal(answer.status, 200, `${command}: ${await answer.text()}`);
  };
  return {
    apiUrl: `${url}/api`,
    booked: async () => {
      const answer = await fetch(`${url}/control/recorded`);
      // Our own stand-in.
      const { events } = (await answer.json()) as { events: readonly BookedEvent[] };
      return events.flatMap(({ id, bookings }) => bookings.map((booking) => ({ id, ...filled(booking) })));
    },
    cancelLine: (number, line) => order("cancel", { order: number, line: Number(line), reason: "sold out" }),
    mendBadOrder: () => order("orders", { order: mended() }),
    goDown: () => order("down", { down: true }),
    comeBack: () => order("down", { down: false }),
    close: running.stop,
  };
}

/** Two pieces instead of one and a half. */
function mended(): object {
  // Our own file, which the stand-in has checked.
  const { orders } = JSON.parse(readFileSync(records, "utf8")) as { orders: { number: string; lines: object[] }[] };
  const bad = orders.find(({ number }) => number === badOrder);
  return { ...bad, lines: bad?.lines.map((line) => ({ ...line, qty: 2 })) };
}

const filled = (booking: ErpBooking): Booking =>
  // Only members without a value are left out.
  Object.fromEntries(Object.entries(booking).filter(([, value]) => value !== null)) as unknown as Booking;
