import type { PushTopic } from "../../contract/pushes.ts";
import type { Problem } from "../../contract/validate/validator.ts";

/** Something that an external system gave and that cannot be served or taken. */
export interface BadRecord {
  /** The connector it came from. */
  readonly source: string;
  readonly kind: PushTopic;
  /** Its business key; empty where it has none. */
  readonly number: string;
  /** Where exactly, in words for a person: a file, an address. */
  readonly origin?: string | undefined;
  readonly problems: readonly Problem[];
  /** The source field that feeds a member, where that is known. */
  readonly sourceOf?: ((field: string) => string | undefined) | undefined;
  readonly raw: unknown;
}

export interface QuarantineProblem extends Problem {
  /** The field of the external system where the mistake was made. */
  readonly sourceField?: string;
  /** What the mapping said, where it was the mapping that could not go on. */
  readonly mappingNote?: string;
}

/** One per source, kind and number: the same order, bad a hundred times, is one record with a count. */
export interface QuarantineRecord {
  readonly id: number;
  readonly source: string;
  readonly kind: PushTopic;
  readonly number: string;
  readonly origin: string;
  readonly problems: readonly QuarantineProblem[];
  /** The full number of problems where the list was cut. */
  readonly problemCount: number;
  /** What to do about it, in words. */
  readonly fix: string;
  readonly firstSeenAt: number;
  readonly lastSeenAt: number;
  readonly count: number;
}

export interface QuarantineDetail extends QuarantineRecord {
  /** The record as it came, as JSON text. */
  readonly raw: string;
  /** Whether the raw record was longer than what is kept of it. */
  readonly isRawCut: boolean;
}

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
  /** How many there are for this filter on all pages. */
  readonly total: number;
  /** Ask for the next page with this; null where this was the last. */
  readonly nextBefore: number | null;
}

export interface DropDecision {
  readonly operator: string;
  readonly reason: string;
}

/** Bad records, one by one, until a good version comes or a person drops them. */
export interface Quarantine {
  /** Noted at once, on the disk soon; `flush` waits for it. */
  readonly keep: (bad: BadRecord) => void;
  readonly holds: (source: string, kind: PushTopic, number: string) => boolean;
  /** A good version came: the record leaves by itself. Costs nothing where there is none. */
  readonly release: (source: string, kind: PushTopic, number: string) => void;
  readonly flush: () => void;
  readonly list: (filter: QuarantineFilter) => QuarantinePage;
  readonly show: (id: number) => QuarantineDetail | null;
  /** Forgets a record and notes who wanted that. It comes back if the external system gives it again. */
  readonly drop: (id: number, decision: DropDecision) => QuarantineRecord | null;
  readonly count: () => number;
}
