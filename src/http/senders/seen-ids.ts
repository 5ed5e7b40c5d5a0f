/** Signed deliveries that were taken over. A captured request is worth nothing while its id is remembered. */
export interface SeenIds {
  /** Only the first to ask for an id gets `new`, and has to `keep` or `release` it. */
  readonly begin: (id: string) => "new" | "under way" | "taken";
  /** Resolves when it is on disk: a restart, or a power failure, does not forget it. */
  readonly keep: (id: string, untilMs: number) => Promise<void>;
  /** It was not taken over: the same may come again. */
  readonly release: (id: string) => void;
  readonly close: () => void;
}
