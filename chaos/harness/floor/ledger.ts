/** What the floor knows about each of its events. */
export type FloorOutcome =
  /** Sent, and not answered so far. */
  "unanswered" | "success" | "failure";

/** The time, by the wall clock in ms, between sending the bytes and the end of waiting for an answer. */
export interface Wait {
  readonly from: number;
  readonly to: number;
}

export interface Sending {
  outcome: FloorOutcome;
  /** How often the bytes were sent. */
  sent: number;
  /** How often the event was answered with success. */
  answered: number;
  /** How often the event really happened: a piece each time it was answered, a push only once. */
  happened: number;
  /** The sends without an answer. They decide what the service can have known. */
  readonly unanswered: Wait[];
}

/** Everything the floor sent, by order and counter. The journal and the receiver are compared with it. */
export interface Ledger {
  readonly orders: ReadonlyMap<string, readonly Sending[]>;
  readonly sendingOf: (order: string, counter: number) => Sending;
  /** Answers that were not in the form of the contract. */
  readonly oddAnswers: string[];
  /** Answers that contained a secret or internals of the program. */
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
