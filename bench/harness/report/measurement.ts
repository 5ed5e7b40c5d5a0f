import type { Workshop } from "../processes/workshop.ts";

/** The target, for the figure itself or for its ratio to the bare one. */
export interface Bar {
  readonly of: "ratio" | "figure";
  readonly at: "least" | "most";
  readonly limit: number;
}

export interface Measurement {
  readonly what: string;
  readonly unit: "1/s" | "ms" | "µs" | "MB" | "kB" | "events";
  readonly ours: number;
  /** Absent if there is nothing to compare with. */
  readonly bare?: number;
  /** The median of the ratios of many pairs. Absent: the quotient of the two figures. */
  readonly pairedRatio?: number;
  /** Absent if the figure has no target. */
  readonly bar?: Bar;
}

/** Chapters are measured and written as a whole. */
export const chapters = ["Answers", "Delivery", "Bulk", "Limits", "Console"] as const;

export interface Figure {
  readonly name: string;
  readonly chapter: (typeof chapters)[number];
  /** What is measured and what it is compared with, in one sentence for readers of the table. */
  readonly summary: string;
  /** Where the time goes; shown in the report if a target is missed. */
  readonly costs?: string;
  /** A figure that takes long yields what it has measured so far, so that it is not lost with a later failure. */
  readonly measure: (workshop: Workshop) => Promise<readonly Measurement[]> | AsyncIterable<readonly Measurement[]>;
}

/** What else the machine had to do. */
export interface MachineState {
  /** Load average of the last minute before the measurement, including earlier measurements of the same run. */
  readonly loadBefore: number;
  /** The share of the processor time that the host of a virtual machine took for others during the measurement. */
  readonly stolen: number;
}

export interface MeasuredFigure extends MachineState {
  readonly figure: Figure;
  readonly measurements: readonly Measurement[];
}

export const ratioOf = ({ ours, bare, pairedRatio }: Measurement): number | null =>
  pairedRatio ?? (bare === undefined ? null : ours / bare);

export function isReached(measurement: Measurement): boolean {
  if (measurement.bar === undefined) return true;
  const { of, at, limit } = measurement.bar;
  const value = of === "ratio" ? (ratioOf(measurement) ?? Number.NaN) : measurement.ours;
  return at === "least" ? value >= limit : value <= limit;
}
