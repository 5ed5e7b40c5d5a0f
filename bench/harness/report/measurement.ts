import type { Workshop } from "../processes/workshop.ts";

/** What has to be reached: by the figure itself or by its ratio to the bare one. */
export interface Bar {
  readonly of: "ratio" | "figure";
  readonly at: "least" | "most";
  readonly limit: number;
}

export interface Measurement {
  readonly what: string;
  readonly unit: "1/s" | "ms" | "MB" | "events";
  readonly ours: number;
  /** Absent where there is nothing to compare with. */
  readonly bare?: number;
  /** Absent where the figure is only to be known. */
  readonly bar?: Bar;
}

/** Measured together and written down together. */
export const chapters = ["Answers", "Delivery", "Bulk"] as const;

export interface Figure {
  readonly name: string;
  readonly chapter: (typeof chapters)[number];
  /** What is measured and against what, in a sentence for the table's reader. */
  readonly summary: string;
  /** Where the time goes: told in the report when a bar is missed. */
  readonly costs?: string;
  readonly measure: (workshop: Workshop) => Promise<readonly Measurement[]>;
}

export interface MeasuredFigure {
  readonly figure: Figure;
  readonly measurements: readonly Measurement[];
  /** Load average of the last minute before it was measured; what came before it in the same run is in it. */
  readonly loadBefore: number;
}

export const ratioOf = ({ ours, bare }: Measurement): number | null => (bare === undefined ? null : ours / bare);

export function isReached(measurement: Measurement): boolean {
  if (measurement.bar === undefined) return true;
  const { of, at, limit } = measurement.bar;
  const value = of === "ratio" ? (ratioOf(measurement) ?? Number.NaN) : measurement.ours;
  return at === "least" ? value >= limit : value <= limit;
}
