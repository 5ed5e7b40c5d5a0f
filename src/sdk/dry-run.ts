/** What would go out for an event; nothing is sent. */
export interface DryRun {
  /** Method and address, the name of a file, or what kind of statement it is. */
  readonly to: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON where it is JSON, else the text. */
  readonly body?: unknown;
}
