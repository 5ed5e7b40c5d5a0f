import type { EntryState, OpenEntry } from "../entry.ts";
import { mostFreed, type PersonAction } from "../journal.ts";
import type { MemoryNeeds } from "./append.ts";
import { openOf } from "./reader.ts";
import { isWaiting, type Row } from "./tables.ts";

/** From which states a person may do what. An entry in flight is never touched: two runs would overlap. */
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
    // Retention has erased what would have to be sent.
    if (decision.action === "replay" && row.body === "") return null;
    const { action } = decision;
    const reason = "reason" in decision ? decision.reason : null;
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
      .slice(0, mostFreed)
      .map(openOf);
  };
}

function afterwards(row: Row, decision: PersonAction): Row {
  if (decision.action === "skip") return { ...row, state: "discarded", reason: decision.reason, nextAt: null };
  const reopened: Row = { ...row, state: "accepted", reason: null, nextAt: null };
  if (decision.action === "edit") return { ...reopened, body: decision.body, payload: null };
  return { ...reopened, replays: row.replays + (decision.action === "replay" ? 1 : 0) };
}
