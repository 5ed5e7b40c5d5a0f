import type { Ledger, Sending, Wait } from "../floor/ledger.ts";
import type { Arrival } from "../receiver/receiver.ts";
import { checkDeliveries } from "./check-deliveries.ts";
import { checkDuplicates, type Duplicates } from "./check-duplicates.ts";
import type { JournalEntry, NotedAttempt } from "./read-journal.ts";
import { type Violations, violations } from "./violations.ts";

export interface Evidence {
  readonly ledger: Ledger;
  readonly entries: readonly JournalEntry[];
  readonly integrity: string;
  /** Absent if the events are sent to no receiver. */
  readonly arrivals?: readonly Arrival[];
  readonly failedAttempts?: ReadonlyMap<number, readonly NotedAttempt[]>;
  /** The times from a kill or power cut until the service served again. */
  readonly hardEnds?: readonly Wait[];
  /** Whether processes were paused. Those may send late what another process has already sent. */
  readonly hasPauses?: boolean;
}

export interface Verdict {
  readonly acknowledged: number;
  /** Events that were acknowledged but are not in the journal. */
  readonly lost: number;
  /** Events that are stored more often than they happened, without a mark. */
  readonly doubled: number;
  /**
   * Events stored more often than they happened, with each further entry marked as a possible repeat, although the
   * service could have known better.
   */
  readonly flagged: number;
  /**
   * Events stored more often than they happened, unavoidably: the whole answer was written while its sender still
   * waited, but was not read.
   */
  readonly unknowable: number;
  /** Events answered with failure after an earlier send of the same bytes was stored but not answered. */
  readonly storedBefore: number;
  /** Entries that the receiver accepted more than once, with the same id. */
  readonly duplicates: Duplicates;
  readonly reordered: number;
  readonly violations: readonly string[];
}

/** Compares the answers to the floor with the journal, and the journal with what the receiver got. */
export function checkPromises(evidence: Evidence): Verdict {
  const {
    ledger,
    entries,
    integrity,
    arrivals,
    failedAttempts = new Map(),
    hardEnds = [],
    hasPauses = false,
  } = evidence;
  const found = violations();
  if (integrity !== "ok") found.add("the database is damaged", integrity);
  for (const answer of ledger.oddAnswers) found.add("an answer was not of the contract", answer);
  for (const leak of ledger.leaks) found.add("an answer shows what it must not", leak);
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
  for (const { seq, state } of unfinished) found.add("an entry has no final state", `${seq} is ${state}`);
  if (arrivals !== undefined) checkDeliveries(entries, arrivals, { found, hasPauses });
  const duplicates = checkDuplicates({ arrivals: arrivals ?? [], failedAttempts, hardEnds });
  for (const example of duplicates.examples)
    found.add("an entry was sent again although it had been answered", example);
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

/** I1 and I3: success means recorded, once for each time it happened; failure means never delivered. */
function checkLedger(
  ledger: Ledger,
  byEvent: ReadonlyMap<string, readonly JournalEntry[]>,
  found: Violations,
): Pick<Verdict, "flagged" | "unknowable" | "storedBefore"> {
  const doubts = { flagged: 0, unknowable: 0, storedBefore: 0 };
  for (const [order, sendings] of ledger.orders) {
    for (const [counter, sending] of sendings.entries()) {
      const { outcome, happened, sent, unanswered } = sending;
      const key = `${counter}.${order}`;
      const recorded = (byEvent.get(key) ?? []).filter(({ state }) => state !== "rejected");
      if (recorded.length < happened) found.add(lostText, `${key}: ${recorded.length} of ${happened}`);
      const most = outcome === "unanswered" ? happened + 1 : happened;
      if (recorded.length <= most) continue;
      const seqs = recorded.map(({ seq }) => seq).join(", ");
      // The entry belongs to the earlier send, which was stored and never answered. This send stored nothing.
      if (outcome === "failure" && unanswered.length > 0 && recorded.length === 1) doubts.storedBefore++;
      else if (outcome === "failure") found.add(keptText, `${key}: entries ${seqs}, sent ${sent} times`);
      else if (recorded.slice(1).some(({ suspectOf }) => suspectOf === null)) {
        found.add(doubledText, `${key}: entries ${seqs}, sent ${sent} times`);
      } else {
        const excused = recorded.slice(0, -1).filter((entry) => wasWrittenInTime(entry, sending)).length;
        const more = recorded.length - most;
        doubts.unknowable += Math.min(more, excused);
        doubts.flagged += Math.max(0, more - excused);
      }
    }
  }
  return doubts;
}

const keptText = "an event answered with failure was kept for delivery";

/**
 * Whether the service wrote the answer while the sender was still there. Only the sender knows that it was never read.
 */
const wasWrittenInTime = ({ answeredAt }: JournalEntry, { unanswered }: Sending): boolean =>
  answeredAt !== null && unanswered.some(({ from, to }) => answeredAt >= from && answeredAt <= to);

/** The floor sends an order's events one after the other, so the journal must have them in that order. */
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
