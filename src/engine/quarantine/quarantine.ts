import type { PushTopic } from "../../contract/pushes.ts";
import type { Problem } from "../../contract/validate/problem.ts";

/** A record of an external system that cannot be served or taken in. */
export interface BadRecord {
  /** The connector that the record came from. */
  readonly source: string;
  readonly kind: PushTopic;
  /** The record's business key; empty if it has none. */
  readonly number: string;
  /** The exact source in words, such as a file or an address. */
  readonly origin?: string | undefined;
  readonly problems: readonly Problem[];
  /** The source field of a member, if known. */
  readonly sourceOf?: ((field: string) => string | undefined) | undefined;
  readonly raw: unknown;
}

export interface QuarantineProblem extends Problem {
  /** The field of the external system that has the mistake. */
  readonly sourceField?: string;
  /** The places in the source record that the member was made from, such as `Lines[3].Qty`; absent if unknown. */
  readonly sourcePlaces?: readonly string[];
  /** The mapping's message, if the mapping failed. */
  readonly mappingNote?: string;
}

/** There is one per source, kind and number: an order that is bad a hundred times is one record with a count. */
export interface QuarantineRecord {
  readonly id: number;
  readonly source: string;
  readonly kind: PushTopic;
  readonly number: string;
  readonly origin: string;
  readonly problems: readonly QuarantineProblem[];
  /** The full number of problems if the list was cut. */
  readonly problemCount: number;
  /** What to do about the problem, in words. */
  readonly fix: string;
  readonly firstSeenAt: number;
  readonly lastSeenAt: number;
  readonly count: number;
}

export interface QuarantineDetail extends QuarantineRecord {
  /** The record as it was checked, as JSON text. */
  readonly raw: string;
  /** Whether the raw record was longer than the stored part. */
  readonly isRawCut: boolean;
  /** The record that it was mapped from, as JSON text; null if it was not mapped, or kept by an earlier version. */
  readonly sourceRecord: string | null;
  readonly isSourceRecordCut: boolean;
}

/**
 * How a record can be retried: taken in as it is or corrected, asked for again at the system that answers for it, or not
 * at all.
 */
export type RetryWay = "take" | "query" | "none";

export interface QuarantineFilter {
  readonly source?: string;
  readonly kind?: PushTopic;
  readonly number?: string;
  /** Only records with a smaller id: the next page. */
  readonly before?: number;
  readonly limit: number;
}

export interface QuarantinePage {
  readonly records: readonly QuarantineRecord[];
  /** How many records match the filter, on all pages. */
  readonly total: number;
  /** Pass this for the next page; null on the last page. */
  readonly nextBefore: number | null;
}

export interface DropDecision {
  readonly operator: string;
  readonly reason: string;
}

/** Bad records, kept until a good version arrives or an operator drops them. */
export interface Quarantine {
  /**
   * Keeps a bad record in memory at once and on the disk soon; `flush` waits for the disk. Returns whether it is a new
   * one.
   */
  readonly keep: (bad: BadRecord) => boolean;
  readonly holds: (source: string, kind: PushTopic, number: string) => boolean;
  /** Called when a good version arrived: removes the record. Costs nothing if there is none. */
  readonly release: (source: string, kind: PushTopic, number: string) => void;
  readonly flush: () => void;
  readonly list: (filter: QuarantineFilter) => QuarantinePage;
  readonly show: (id: number) => QuarantineDetail | null;
  /** Removes a record and logs who requested that. The record comes back if the external system sends it again. */
  readonly drop: (id: number, decision: DropDecision) => QuarantineRecord | null;
  readonly count: () => number;
  /** How many bad records could not be written since the start, as on a full disk. */
  readonly lostCount: () => number;
}
