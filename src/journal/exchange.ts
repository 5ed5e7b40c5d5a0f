/** The beginning of a text, and how long all of it is. */
export interface KeptText {
  readonly text: string;
  readonly bytes: number;
}

/** What an attempt really sent, and what came back. No secret stands in it, and each text is bounded. */
export interface Exchange {
  readonly sentAt: number;
  /** Method and address, the statement, or the name of the file. */
  readonly to: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: KeptText;
  /** Absent: none came while the attempt lasted. */
  readonly answer?: {
    readonly ms: number;
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: KeptText;
  };
}

/**
 * Of an entry that is tried for days, the exchanges of its first attempts and of its latest are kept: the others say the
 * same, and would fill the disk.
 */
export const keptAttempts = { first: 3, latest: 5 } as const;

/** The attempt whose exchanges make way for those of attempt `n`; null where none has to. */
export function displacedBy(n: number): number | null {
  const displaced = n - keptAttempts.latest;
  return displaced > keptAttempts.first ? displaced : null;
}
