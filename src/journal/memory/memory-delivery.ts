import { type Attempt, displacedBy, type Entry, type EntryState, type OpenEntry, type Verdict } from "../entry.ts";
import { type Lease, mostReleased, type PersonAction, type ProgressNote, type Settled } from "../journal.ts";
import type { appender, MemoryNeeds } from "./memory-append.ts";
import { entryOf, openOf } from "./memory-reader.ts";
import { isWaiting, type Row } from "./memory-tables.ts";

type DeliveryNeeds = MemoryNeeds & Pick<ReturnType<typeof appender>, "apply" | "emitAll">;

export function deliveries({ tables, write, parking, supersede, apply, emitAll }: DeliveryNeeds) {
  const { entries, attempts, progress } = tables;

  const start = (seq: number, token: string, at: number | null): Entry | null => {
    const row = entries.get(seq);
    if (row === undefined) return null;
    if (row.state === "inflight" && row.leaseToken === token) return entryOf(row);
    if (!isWaiting(row.state) || parking.isParked(row)) return null;
    const taken: Row = { ...row, state: "inflight", leaseToken: token, leasedAt: at, attempts: row.attempts + 1 };
    write(entries, seq, taken);
    return entryOf(taken);
  };

  const settle = ({ seq, token }: Lease, verdict: Verdict, attempt: Attempt | null, answer?: string): Settled => {
    const row = entries.get(seq);
    if (row?.state !== "inflight" || row.leaseToken !== token) return { done: false, applied: null, emitted: [] };
    // A held entry is applied when it is certain that the event counts: delivered, or accepted for later delivery.
    const happened = verdict.state === "delivered" || verdict.state === "accepted";
    const applied = happened && !row.isApplied ? apply(row) : null;
    const wasTaken = verdict.state === "delivered" && verdict.isUnsent !== true;
    const isUncounted = verdict.state === "retry" && !verdict.countsAsAttempt;
    const settled: Row = {
      ...row,
      state: verdict.state,
      reason: "reason" in verdict ? (verdict.reason ?? null) : null,
      nextAt: verdict.state === "retry" ? verdict.nextAt : null,
      leaseToken: null,
      isApplied: row.isApplied || happened,
      answer: answer ?? (applied?.outcome.ok ? JSON.stringify(applied.outcome) : row.answer),
      deliveredAt: wasTaken ? (attempt?.endedAt ?? row.receivedAt) : row.deliveredAt,
      attempts: row.attempts - (isUncounted ? 1 : 0),
      targetFailures: row.targetFailures + (isUncounted ? 1 : 0),
    };
    write(entries, seq, settled);
    if (verdict.state === "delivered") write(progress, seq, undefined);
    if (attempt !== null) {
      const earlier = attempts.get(seq) ?? [];
      const n = earlier.length + 1;
      const displaced = attempt.exchanges === undefined ? null : displacedBy(n);
      const kept = earlier.map((one) => (one.n === displaced ? withoutExchanges(one) : one));
      write(attempts, seq, [...kept, { ...attempt, n, outcome: verdict.state }]);
    }
    if (settled.state === "dead") giveUp(settled, attempt);
    if (isWaiting(settled.state)) parking.join(settled);
    return { done: true, applied, emitted: emitAll(applied, row) };
  };

  const giveUp = (row: Row, attempt: Attempt | null) => {
    // The next state replaces this one completely, so no operator action is needed.
    if (!row.isState) return parking.park(row.seq);
    const newer = supersede.newerThanStored(row);
    if (newer !== undefined) supersede.end(row, attempt?.endedAt ?? row.receivedAt, newer.id);
  };

  const note = ({ seq, token }: Lease, marks: readonly ProgressNote[]): boolean => {
    const row = entries.get(seq);
    if (row?.state !== "inflight" || row.leaseToken !== token) return false;
    const added = marks.map(({ key, value }) => [key, value] as const);
    write(progress, seq, new Map([...(progress.get(seq) ?? []), ...added]));
    return true;
  };

  return { start, settle, note };
}

const withoutExchanges = <One extends Attempt>({ exchanges: _exchanges, ...rest }: One) => rest;

/** The states in which each action is allowed. An entry in flight is never touched: two deliveries would overlap. */
const allowedFrom: Record<PersonAction["action"], readonly EntryState[]> = {
  retry: ["dead", "retry"],
  edit: ["dead", "retry", "accepted"],
  skip: ["dead", "retry", "accepted"],
  replay: ["delivered", "discarded"],
};

export function personActions({ tables, write, parking }: Pick<MemoryNeeds, "tables" | "write" | "parking">) {
  const { entries, audit } = tables;

  return (seq: number, decision: PersonAction, operator: string, at: number): readonly OpenEntry[] | null => {
    const row = entries.get(seq);
    if (row === undefined || row.target === null || !allowedFrom[decision.action].includes(row.state)) return null;
    // Retention has erased the body that would be sent.
    if (decision.action === "replay" && row.body === "") return null;
    const { action } = decision;
    const reason = decision.reason ?? null;
    const before = action === "edit" ? row.body : null;
    write(audit, seq, [...(audit.get(seq) ?? []), { seq, at, operator, action, reason, before }]);

    const dead = parking.deadOf(row);
    const held = new Set([seq, ...[...dead].flatMap(parking.waitingFor).map((waiting) => waiting.seq)]);
    write(entries, seq, afterwards(row, decision));
    for (const deadSeq of dead) parking.parkAgain(deadSeq);
    return [...held]
      .flatMap((one) => entries.get(one) ?? [])
      .filter((one) => isWaiting(one.state) && !parking.isParked(one))
      .sort((a, b) => a.seq - b.seq)
      .slice(0, mostReleased)
      .map(openOf);
  };
}

function afterwards(row: Row, decision: PersonAction): Row {
  if (decision.action === "skip") return { ...row, state: "discarded", reason: decision.reason, nextAt: null };
  const reopened: Row = { ...row, state: "accepted", reason: null, nextAt: null };
  if (decision.action === "edit") return { ...reopened, body: decision.body, payload: null };
  return { ...reopened, replays: row.replays + (decision.action === "replay" ? 1 : 0) };
}
