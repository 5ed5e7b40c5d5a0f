/** How long to wait, each counted from the beginning of the request. */
export interface Timeouts {
  /** Until the connection stands, name and TLS included. */
  readonly connectMs: number;
  /** Until the answer begins. */
  readonly headersMs: number;
  /** Until the answer is complete. */
  readonly totalMs: number;
}

export const defaultTimeouts: Timeouts = { connectMs: 3_000, headersMs: 10_000, totalMs: 15_000 };
