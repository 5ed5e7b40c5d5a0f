/** What the floor knows about each of its events. */
export type FloorOutcome =
  /** Sent, and never answered so far. */
  "unanswered" | "success" | "failure";

/** The time, by the wall clock in ms, between sending the bytes and giving up on an answer. */
export interface Wait {
  readonly from: number;
  readonly to: number;
}

export interface Sending {
  outcome: FloorOutcome;
  /** How often the bytes went out. */
  sent: number;
  /** How often it was answered with success. */
  answered: number;
  /** How often the same thing really happened: a piece each time it was answered, a push only once. */
  happened: number;
  /** The sendings that nobody answered: what the service may and may not have known is judged by these. */
  readonly unanswered: Wait[];
}

/** Everything the floor sent, by order and counter: what the journal and the receiver are held against. */
export interface Ledger {
  readonly orders: ReadonlyMap<string, readonly Sending[]>;
  readonly sendingOf: (order: string, counter: number) => Sending;
  /** Answers that were no contract answer. */
  readonly oddAnswers: string[];
  /** Answers that showed a secret or the inside of the program. */
  readonly leaks: string[];
  readonly count: (outcome: FloorOutcome) => number;
}

export function openLedger(): Ledger {
  const orders = new Map<string, Sending[]>();
  return {
    orders,
    oddAnswers: [],
    leaks: [],
    sendingOf: (order, counter) => {
      let sendings = orders.get(order);
      if (sendings === undefined) {
        sendings = [];
        orders.set(order, sendings);
      }
      sendings[counter] ??= { outcome: "unanswered", sent: 0, answered: 0, happened: 0, unanswered: [] };
      return sendings[counter];
    },
    count: (outcome) => {
      let count = 0;
      for (const sendings of orders.values()) for (const one of sendings) if (one.outcome === outcome) count++;
      return count;
    },
  };
}
