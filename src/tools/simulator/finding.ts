/** Something that is not as it should be, with what is needed to look into it. */
export interface Finding {
  readonly kind: /** The report of the adapter and our books differ. */
    | "report"
    /** The journal of the adapter and our books differ. */
    | "journal"
    /** A pushed change did not come with the next confirm step, or nothing says what became of it. */
    | "change"
    /** In the end the external system, the floor and the receipts do not agree. */
    | "amount"
    /** An order or item that must be there was not found, or another one came. */
    | "look-up"
    /** An answer that is none, or a refusal that stops the floor. */
    | "answer"
    /**
     * No finding: one of two equal pieces is missing, and the connection broke between them without our doing. An
     * adapter that was killed cannot know whether its last answer arrived, and events carry no id.
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
