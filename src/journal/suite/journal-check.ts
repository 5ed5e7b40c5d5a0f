import type { Attempt, NewEntry } from "../entry.ts";
import type { Appended, Journal } from "../journal.ts";

/** A journal whose inline projection records every id that it receives, so that a check can read them. */
export interface JournalUnderTest {
  readonly journal: Journal;
  /** Closes the journal and opens it again, as after a restart. */
  readonly reopen: () => Promise<JournalUnderTest>;
  /**
   * The recorded ids. The projection reads a payload: `{"act":"fail"}` makes it throw, `{"act":"refuse"}` refuse,
   * `{"emit":["wo:1"]}` emit an entry of topic `notice` with these lanes.
   */
  readonly booked: () => readonly string[];
  /** Opens a copy made by `backup`. */
  readonly openCopy: (file: string) => Promise<Journal>;
  /** A folder for copies. */
  readonly folder: string;
}

export type OpenForTest = (options?: { readonly emissionTarget?: string }) => Promise<JournalUnderTest>;

/** One promise of the port; it throws if the promise is broken. */
export interface JournalCheck {
  readonly name: string;
  readonly run: (open: OpenForTest) => Promise<void>;
}

let made = 0;

/** An entry for a target named erp, queued in the lane of order 1, unless overridden. */
export const newEntry = (changes: Partial<NewEntry> = {}): NewEntry => ({
  id: `evt_${++made}`,
  direction: "out",
  topic: "confirmStep",
  lanes: ["wo:1"],
  body: "{}",
  payload: null,
  acceptLanguage: "de",
  receivedAt: 1000,
  handling: "queue",
  target: "erp",
  ...changes,
});

export type Stored = Extract<Appended, { seq: number }>;

/** Appends one entry that is expected to be new. */
export async function store(journal: Journal, changes: Partial<NewEntry> = {}, token?: string): Promise<Stored> {
  const [appended] = await journal.append([newEntry(changes)], token);
  if (appended === undefined || !("seq" in appended)) throw new Error("a new entry was expected");
  return appended;
}

/** Stores an entry per list of lanes and returns their seqs. */
export async function storeLanes(journal: Journal, ...lanes: readonly (readonly string[])[]): Promise<number[]> {
  const appended = await journal.append(lanes.map((each) => newEntry({ lanes: each })));
  return appended.flatMap((one) => ("seq" in one ? [one.seq] : []));
}

/** Makes one attempt that ends with this verdict. */
export async function attempt(
  journal: Journal,
  seq: number,
  verdict: Parameters<Journal["settle"]>[1],
  record: Omit<Attempt, "startedAt" | "endedAt"> = {},
): Promise<boolean> {
  const token = `token-${++made}`;
  if ((await journal.start(seq, token)) === null) return false;
  const times = { startedAt: 1000 + made, endedAt: 1001 + made };
  return (await journal.settle({ seq, token }, verdict, { ...times, ...record })).done;
}

export const kill = (journal: Journal, seq: number) => attempt(journal, seq, { state: "dead", reason: "refused" });

export const openSeqs = (journal: Journal): number[] => journal.read.open(0, 1000).map(({ seq }) => seq);
