import { checkDeliveries } from "./check-deliveries.ts";
import type { Ledger } from "./ledger.ts";
import type { JournalEntry } from "./read-journal.ts";
import type { Arrival } from "./receiver.ts";
import { type Violations, violations } from "./violations.ts";

export interface Evidence {
  readonly ledger: Ledger;
  readonly entries: readonly JournalEntry[];
  readonly integrity: string;
  /** Absent where nobody outside gets the events. */
  readonly arrivals?: readonly Arrival[];
}

export interface Verdict {
  readonly acknowledged: number;
  /** Acknowledged, and not in the journal. */
  readonly lost: number;
  /** Stored more often than they happened, with nothing that says so. */
  readonly doubled: number;
  /** The same, but each further entry is marked as a possible repeat: the answer was on its way when patience ended. */
  readonly flagged: number;
  /** Answered with failure after an earlier sending of the same bytes that had been stored but not answered. */
  readonly storedBefore: number;
  /** Accepted by the receiver more than once, under the same id. */
  readonly duplicates: number;
  readonly reordered: number;
  readonly violations: readonly string[];
}

/** Holds what the floor was told against the journal, and the journal against what the receiver got. */
export function checkPromises({ ledger, entries, integrity, arrivals }: Evidence): Verdict {
  const found = violations();
  if (integrity !== "ok") found.add("the database is damaged", integrity);
  for (const answer of ledger.oddAnswers) found.add("an answer was not of the contract", answer);
  const byEvent = new Map<string, JournalEntry[]>();
  const ids = new Set<string>();
  for (const entry of entries) {
    const key = `${entry.counter}.${entry.order}`;
    const same = byEvent.get(key);
    if (same === undefined) byEvent.set(key, [entry]);
    else same.push(entry);
    if (ids.has(entry.id)) found.add("two entries have one id", entry.id);
    ids.add(entry.id);
  }
  const doubts = checkLedger(ledger, byEvent, found);
  checkJournalOrder(entries, found);
  const unfinished = arrivals === undefined ? [] : entries.filter(isUnfinished);
  for (const { seq, state } of unfinished) found.add("an entry did not come to an end", `${seq} is ${state}`);
  const duplicates = arrivals === undefined ? 0 : checkDeliveries(entries, arrivals, found);
  return {
    acknowledged: ledger.count("success"),
    lost: found.count(lostText),
    doubled: found.count(doubledText),
    ...doubts,
    duplicates,
    reordered: found.count("an event overtook an earlier one of its order") + found.count(journalOrderText),
    violations: found.texts(),
  };
}

const lostText = "an acknowledged event is not in the journal";
const doubledText = "an event is in the journal more often than it happened";
const journalOrderText = "the journal has an order's events in another order than they were sent";

/** I1 and I3: success means recorded, once for each time it happened; failure means it is never delivered. */
function checkLedger(
  ledger: Ledger,
  byEvent: ReadonlyMap<string, readonly JournalEntry[]>,
  found: Violations,
): Pick<Verdict, "flagged" | "storedBefore"> {
  let flagged = 0;
  let storedBefore = 0;
  for (const [order, sendings] of ledger.orders) {
    for (const [counter, { outcome, happened, sent }] of sendings.entries()) {
      const key = `${counter}.${order}`;
      const recorded = (byEvent.get(key) ?? []).filter(({ state }) => state !== "rejected");
      if (recorded.length < happened) found.add(lostText, `${key}: ${recorded.length} of ${happened}`);
      const most = outcome === "unanswered" ? happened + 1 : happened;
      if (recorded.length <= most) continue;
      const seqs = recorded.map(({ seq }) => seq).join(", ");
      if (outcome === "failure" && sent > 1) storedBefore++;
      else if (outcome === "failure") found.add("an event answered with failure was kept for delivery", key);
      else if (recorded.slice(1).every(({ suspectOf }) => suspectOf !== null)) flagged += recorded.length - most;
      else found.add(doubledText, `${key}: entries ${seqs}, sent ${sent} times`);
    }
  }
  return { flagged, storedBefore };
}

/** The floor sends an order's events one after the other: the journal must have them that way. */
function checkJournalOrder(entries: readonly JournalEntry[], found: Violations): void {
  const last = new Map<string, number>();
  for (const { order, counter, seq } of entries) {
    const before = last.get(order) ?? -1;
    if (counter < before) found.add(journalOrderText, `${order}: ${counter} (entry ${seq}) after ${before}`);
    last.set(order, Math.max(before, counter));
  }
}

function isUnfinished({ state, isParked }: JournalEntry): boolean {
  return !isParked && (state === "accepted" || state === "inflight" || state === "retry");
}
