/** Replaces secrets in a text. */
export interface MaskSecrets {
  (text: string): string;
  /**
   * The length of the longest secret. Whoever masks only the beginning of a text drops as much at its end: it may be the
   * first part of a secret, which is not recognised.
   */
  readonly longest?: number;
}

/** The length of the longest secret that one of these masks replaces. */
export const longestOf = (...masks: readonly MaskSecrets[]): number =>
  Math.max(0, ...masks.map(({ longest = 0 }) => longest));

/** What a connector really sends for an event: a request, a statement or a file. */
export interface Sent {
  /** Method and URL, the statement, or the name of the file. */
  readonly to: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /**
   * Removes secrets from a text that only this connector knows, such as a token it obtained. Secrets of the
   * configuration, and headers with a secret's name, are masked in any case.
   */
  readonly mask?: MaskSecrets;
  /** The step that this belongs to, if the event is sent in several. */
  readonly step?: string;
  /** Why nothing is sent. */
  readonly skipped?: string;
}

/** The answer to it. */
export interface Received {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: string | Uint8Array;
}

/**
 * Call it right before something is sent, and call the returned function when there is an answer. The attempt in the
 * journal then shows both. Without an answer, the attempt shows only what was sent.
 */
export type RecordSent = (sent: Sent) => (received: Received) => void;
