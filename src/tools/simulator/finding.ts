/** A difference, with what is needed to investigate it. */
export interface Finding {
  readonly kind: /** The report of the adapter and our books differ. */
    | "report"
    /** The adapter's journal and the floor's records differ. */
    | "journal"
    /** A pushed change did not come with the next confirm step, or it has no receipt. */
    | "change"
    /** At the end the external system, the floor and the receipts do not agree. */
    | "amount"
    /** An order or item that must exist was not found, or a different one was returned. */
    | "look-up"
    /** An invalid answer, or a refusal that stops the floor. */
    | "answer"
    /**
     * Not a finding: one of two identical pieces is missing, and the connection broke between them without our doing.
     * An adapter that was killed cannot know whether its last answer arrived, and events carry no id.
     */
    | "doubt";
  readonly order: string | null;
  readonly item: string | null;
  readonly text: string;
  readonly expected: string;
  readonly found: string;
  /** What was sent about the order, oldest first. */
  readonly calls: readonly string[];
}
