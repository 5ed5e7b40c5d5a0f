/** A run of one of the tools against this adapter. */
export interface FloorRun {
  readonly kind: "simulate" | "conform";
  readonly startedAt: string;
  readonly startedBy: string;
  readonly state: "running" | "passed" | "findings" | "failed" | "stopped";
  /** The last lines that the tool printed. */
  readonly output: readonly string[];
  /** The tool's own report; null until the tool has ended. */
  readonly report: object | null;
}

export interface FloorState {
  /** On a production adapter, nothing can be started that would work on its orders. */
  readonly isProduction: boolean;
  readonly run: FloorRun | null;
}

export interface SimulationRequest {
  readonly orders: number;
  readonly operators: number;
  /** How many times faster than real time; null means as fast as possible. */
  readonly speed: number | null;
  readonly minutes: number | null;
  readonly faultPercent: number;
  readonly changePercent: number;
  readonly seed: number | null;
}

type Started = FloorRun | { readonly refused: string };

/** Runs the simulator and the conformance checks against this adapter, one at a time, each in a separate process. */
export interface FloorControl {
  readonly state: () => FloorState;
  readonly simulate: (request: SimulationRequest, operator: string) => Started;
  /** `isFull` also sends events and imports files. */
  readonly conform: (request: { readonly isFull: boolean }, operator: string) => Started;
  readonly stop: () => boolean;
  /** The report of the last run as a page; null if there is none. */
  readonly page: () => string | null;
  readonly close: () => void;
}
