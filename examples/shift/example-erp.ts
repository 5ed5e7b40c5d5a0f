/** One line in the books of an ERP, in words that all examples share. */
export interface Booking {
  readonly event: "attach" | "release" | "pick" | "put" | "cancel item" | "cancel line" | "move" | "state" | "receipt";
  readonly order: string;
  readonly line?: string;
  readonly item?: string;
  readonly amount?: number;
  readonly container?: string;
  readonly place?: string;
  readonly text?: string;
}

/** The external system of an example, small but real: it runs, keeps books, and can be out of order. */
export interface ExampleErp {
  /** Variables that its configuration names. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether the platform's questions reach it; otherwise it brings its orders in, and the adapter answers. */
  readonly isAskedLive: boolean;
  /** Everything it has booked, in the order it did so; `id` is the journal entry it came by. */
  readonly booked: () => Promise<readonly (Booking & { readonly id: string })[]>;
  /** Somebody in the office cancels one line. */
  readonly cancelLine: (order: string, line: string) => Promise<void>;
  /** Somebody in the office corrects the order that could not be served. */
  readonly mendBadOrder: () => Promise<void>;
  readonly goDown: () => Promise<void>;
  readonly comeBack: () => Promise<void>;
  readonly close: () => Promise<void>;
}
