/** What a connector really sends for an event: a request, a statement or a file. */
export interface Sent {
  /** Method and address, the statement, or the name of the file. */
  readonly to: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /**
   * Takes out of a text what only this connector knows to be secret, such as a token it was given. Secrets of the
   * configuration, and headers that are named like one, are masked anyway.
   */
  readonly mask?: (text: string) => string;
}

/** What came back for it. */
export interface Received {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: string | Uint8Array;
}

/**
 * To be called right before something goes out; what it returns, as soon as there is an answer. The attempt in the journal
 * then shows both. What is never answered stands there as sent without an answer.
 */
export type RecordSent = (sent: Sent) => (received: Received) => void;
