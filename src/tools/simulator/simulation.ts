import type { Timers } from "../../kit/time/timers.ts";
import type { Books } from "./books/books.ts";
import type { Tally } from "./calls/call-tally.ts";
import type { FaultRates } from "./calls/play-fault.ts";
import type { ChangeRates } from "./changes/change-plan.ts";
import type { DeskPlace } from "./floor/desk.ts";

/** What is to be played. */
export interface Simulation {
  readonly baseUrl: string;
  /** The external system's key: with it orders, items and changes are pushed, and the journal is compared. */
  readonly apiKey: string | null;
  readonly seed: number;
  /** How many orders to make; 0 works on what the adapter offers. */
  readonly orders: number;
  readonly operators: number;
  /** How many times faster than real; null does not wait at all. */
  readonly speed: number | null;
  readonly callsPerSecond: number | null;
  /** Length of the shift on the floor. */
  readonly shiftMs: number;
  readonly rates: FaultRates;
  /** How often orders change, and how freely the platform deals with that. */
  readonly changes?: ChangeRates;
  /** Sends an Idempotency-Key with each event, as a gateway may; the contract knows none. */
  readonly hasKeys: boolean;
  /** Tells every change of an order's status too, as older platforms do. */
  readonly hasStatus?: boolean;
  readonly storage: string;
  readonly erpControlUrl: string | null;
  /** How long nobody has to answer before the floor gives up. */
  readonly patienceMs: number;
}

/** What a screen looks at while the floor runs. */
export interface FloorView {
  readonly simulation: Simulation;
  readonly tally: Tally;
  readonly desks: readonly DeskPlace[];
  phase: string;
  ordersDone: number;
  ordersTotal: number;
  /** Calls, and the time they took, while the floor worked: without what was pushed before and compared after. */
  load?: { readonly calls: number; readonly ms: number };
}

export interface SimulationNeeds {
  readonly timers: Timers;
  readonly now: () => number;
  readonly today: () => Date;
  readonly onBegin?: (view: FloorView) => void;
  /** Ends the shift early: nobody walks any more, jobs that are begun are finished, and what was done is compared. */
  readonly stopped?: AbortSignal;
}

export interface SimulationResult {
  readonly view: FloorView;
  readonly books: Books;
  /** Equal for equal seeds, as long as the adapter answers the same. */
  readonly callsDigest: string;
  readonly durationMs: number;
  readonly reportedOrders: number;
  /** Lines of the adapter's journal that were read; null where it has none to show. */
  readonly journalLines: number | null;
  /** Set where the floor had to give up. */
  readonly gaveUp: string | null;
}
