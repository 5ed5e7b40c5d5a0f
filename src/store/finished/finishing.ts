import type { DerivedEventId } from "../../contract/derived-events.ts";
import type { PickingSummary } from "../../contract/schemas/confirm-step.ts";
import type { Emission, ProjectionEntry } from "../../journal/inline-projection.ts";

/** The connector that gets each derived event; those without one are not made. */
export type DerivedTargets = Readonly<Partial<Record<DerivedEventId, string>>>;

/** Derives from the ledger when an order, or a container of it, is finished. */
export interface Finishing {
  /** What a step has put into containers. */
  readonly share: (orderNumber: string, position: number, summary: PickingSummary) => void;
  /** The events about what this entry has finished; each is given once, within its transaction. */
  readonly take: (entry: ProjectionEntry) => readonly Emission[];
}
