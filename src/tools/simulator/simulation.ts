import type { Timers } from "../../kit/time/timers.ts";
import type { Tally } from "./calls/call-tally.ts";
import type { FaultRates } from "./calls/fault-rates.ts";
import type { ChangeRates } from "./changes/change-plan.ts";
import type { OperatorState } from "./floor/operator.ts";
import type { PlatformRecords } from "./records/platform-records.ts";

/** What to simulate. */
export interface Simulation {
  readonly baseUrl: string;
  /** The external system's key. With it, orders, items and changes are pushed, and the journal is compared. */
  readonly apiKey: string | null;
  readonly seed: number;
  /** Number of orders to generate; 0 works on the adapter's own orders. */
  readonly orders: number;
  readonly operators: number;
  /** Factor of real time; null does not wait at all. */
  readonly speed: number | null;
  readonly callsPerSecond: number | null;
  /** Length of the shift in simulated time. */
  readonly shiftMs: number;
  readonly rates: FaultRates;
  /** How often orders change, and how the platform reacts. */
  readonly changes?: ChangeRates;
  /** Sends an Idempotency-Key with each event, as a gateway may; the contract has none. */
  readonly hasKeys: boolean;
  /** Also reports every change of an order's status, as older platforms do. */
  readonly hasStatus?: boolean;
  /**
   * Whether people change orders in the external system meanwhile. Then the operators work on what a scan shows, and do
   * not begin an order that the scan does not find.
   */
  readonly hasOffice?: boolean;
  readonly storage: string;
  readonly erpControlUrl: string | null;
  /** How long the adapter may be silent before the simulation ends. */
  readonly patienceMs: number;
}

/** What the live screen reads. */
export interface FloorView {
  readonly simulation: Simulation;
  readonly tally: Tally;
  readonly operatorStates: readonly OperatorState[];
  phase: string;
  ordersDone: number;
  ordersTotal: number;
  /** Calls and their duration during the shift, without pushing before and comparing after. */
  load?: { readonly calls: number; readonly ms: number };
}

export interface SimulationNeeds {
  readonly timers: Timers;
  readonly now: () => number;
  readonly today: () => Date;
  readonly onBegin?: (view: FloorView) => void;
  /** Ends the shift early: nobody walks any more, started jobs are finished, and what was done is compared. */
  readonly stopped?: AbortSignal;
}

export interface SimulationResult {
  readonly view: FloorView;
  readonly records: PlatformRecords;
  /** Equal seeds give equal digests, as long as the adapter gives the floor the same answers. */
  readonly callsDigest: string;
  readonly durationMs: number;
  readonly reportedOrders: number;
  /** Number of lines read from the adapter's journal; null if it has none. */
  readonly journalLines: number | null;
  /** Set if the simulation had to end early. */
  readonly gaveUp: string | null;
}
