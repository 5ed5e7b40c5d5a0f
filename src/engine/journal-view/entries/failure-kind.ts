/** Why an entry is not delivered. */
export const failureKinds = [
  /** The target answered, and said no. */
  "refused",
  /** The target did not answer, or is down. */
  "unreachable",
  /** The entry waits behind an entry that failed. */
  "behind",
  /** The entry waits for its first attempt, or for its turn. */
  "waiting",
] as const;
export type FailureKind = (typeof failureKinds)[number];
