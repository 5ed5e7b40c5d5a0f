import type { ChangeRecord } from "./change-events.ts";

/** How a line of an order stood when a step had been booked, in base units. */
export interface StepLine {
  readonly line: string;
  readonly wanted: number | null;
  readonly shown: number | null;
  readonly picked: number;
  readonly offered: number | null;
}

/** What was decided about an order's lines, and from which facts. Amounts are in base units unless it says otherwise. */
export interface OrderExplanation {
  readonly order: string;
  /** The order and its follow-ups. */
  readonly orders: readonly { readonly number: string; readonly state: string }[];
  readonly lines: readonly {
    readonly line: string;
    readonly itemNumber: string | null;
    /** In the line's own unit. */
    readonly wanted: number | null;
    readonly unit: string;
    readonly factor: number | null;
    readonly cut: number;
    readonly picked: number;
    readonly tooMuch: number | null;
    readonly orders: readonly {
      readonly number: string;
      readonly shown: number | null;
      readonly picked: number;
      readonly target: number | null;
    }[];
  }[];
}

/** What the embedded system's books know of an order; a connector of one's own has none. */
export interface OrderBooks {
  /** What the external system wanted otherwise, and what became of it. */
  readonly changesOf: (orderNumber: string) => readonly ChangeRecord[];
  /** How the amounts of a changed order stood at each of its steps, by the id of the step's entry. */
  readonly amountsOf: (orderNumber: string) => ReadonlyMap<string, readonly StepLine[]>;
  /** Null where the order is not known. */
  readonly explain: (orderNumber: string) => OrderExplanation | null;
  /** Orders being picked with a changed line whose unit is in doubt: how many, and a few of them. */
  readonly doubtful: () => { readonly count: number; readonly orders: readonly string[] };
}
