/** What shows the external system who asks. */
export interface Proof {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

export interface Authenticator {
  /** Throws a Fault where there is none to be had. */
  readonly proof: () => Proof | Promise<Proof>;
  /** The external system did not take this proof. True where another one can be had, which the next call of `proof` gets. */
  readonly renew: (refused: Proof) => boolean;
  /** Which statuses mean that a proof was not taken. */
  readonly refusedStatuses: readonly number[];
  /** When the present proof ends, in milliseconds since 1970; null where it does not, or where that is not known. */
  readonly expiresAt: () => number | null;
  /** What must never be shown, as of now. */
  readonly secrets: () => readonly string[];
  readonly close: () => void;
}
