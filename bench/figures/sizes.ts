/** Sizes that several figures share, so that a store is filled only once. */
export const largeStore = { orders: 100_000, lines: 5 } as const;
export const listStore = { orders: 10_000, lines: 10 } as const;
/** The most lines that an order may have. */
export const longOrders = { orders: 20, lines: 10_000 } as const;
export const manyOrders = { orders: 1_000_000, lines: 1 } as const;
export const emptyStore = { orders: 0, lines: 0 } as const;
export const fullJournal = { orders: 0, lines: 0, deliveredEntries: 5_000_000 } as const;
export const exportRows = 100_000;

/** CROSSDOCK_BENCH_ROUNDS=1 shows quickly whether a figure can be measured. Its value is then not reliable. */
const rounds = Number(process.env["CROSSDOCK_BENCH_ROUNDS"] ?? 15);
/** Many short rounds, so that another program that uses the machine for ten seconds affects both sides equally. */
export const loadRounds = { rounds, warmUps: Math.min(6, rounds), durationMs: 1_000 } as const;
/** The number of starts of both sides, for figures that need a precision of a tenth. */
export const starts = Math.min(3, rounds);
export const readRounds = 11;
/** Many rounds, because a round takes only a tenth of a second and garbage collection is irregular. */
export const mapRounds = 31;
/** Long enough for several hundred small requests beside the large ones. */
export const meanwhileMs = 8_000;
