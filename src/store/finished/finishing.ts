import type { DerivedEventId } from "../../contract/derived-events.ts";
import type { PickingSummary } from "../../contract/schemas/confirm-step.ts";
import type { Emission, ProjectionEntry } from "../../journal/inline-projection.ts";

/** The connector that gets each derived event. Events without a connector are not made. */
export type DerivedTargets = Readonly<Partial<Record<DerivedEventId, string>>>;

/** Detects in the ledger when an order, or one of its containers, is finished. */
export interface Finishing {
  /** Counts what a step has put into containers. */
  readonly share: (orderNumber: string, position: number, summary: PickingSummary) => void;
  /** Returns the events about what this entry has finished. Each is returned once, within the entry's transaction. */
  readonly drain: (entry: ProjectionEntry) => readonly Emission[];
}
