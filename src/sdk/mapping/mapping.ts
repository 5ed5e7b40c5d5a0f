/** What a mapping made of one record. */
export interface Mapped {
  /** Before any check against the contract. */
  readonly value: unknown;
  /** What could not be done. A record with a problem is not to be used: a member of it is missing. */
  readonly problems: readonly MappedProblem[];
}

export interface MappedProblem {
  /** Where in the result, as a person writes it: `requests[3].requestedAmount`. */
  readonly field: string;
  /** What was found, and how the rule or the data can be mended. */
  readonly text: string;
  /** The source field, or the expression, that feeds it. */
  readonly source?: string;
}

/** Field rules, compiled. */
export interface Mapping {
  /** At once where all rules are paths; a promise where an expression takes part. */
  readonly apply: (source: unknown) => Mapped | Promise<Mapped>;
  /** The source field that feeds a member: `requests[3].requestedAmount` → `Lines.Qty`. */
  readonly sourceOf: (field: string) => string | undefined;
}
