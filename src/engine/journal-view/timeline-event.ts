import { type AnswerView, isoTime, type ShownState } from "./entries/entry-view.ts";

/** What happened to an order, each thing with its time. */
export interface TimelineEvent {
  readonly at: string;
  readonly kind: /** The platform called. */
    | "call"
    /** The external system pushed. */
    | "push"
    /** We had something of our own to tell the external system, such as a receipt. */
    | "message"
    /** An answer to the platform brought a change along. */
    | "offer"
    /** How the amounts of its lines stood once a step was booked. */
    | "amounts"
    | "attempt"
    | "action"
    /** A change was wanted, or it became clear what came of it. */
    | "change"
    | "held";
  /** The journal entry it belongs to. */
  readonly seq: number | null;
  readonly topic: string | null;
  readonly text: string;
  readonly state: ShownState | null;
  readonly operator: string | null;
  /** Of a push: who pushed it. */
  readonly sender: string | null;
  readonly answer: Omit<AnswerView, "data"> | null;
}

/** What the external system wanted otherwise about an order, and what became of it. */
export interface ChangeRecord {
  /** The push that asked for it. */
  readonly entryId: string;
  readonly externalId: string | null;
  readonly itemNumber: string | null;
  /** The amount still wanted; 0 cancels. */
  readonly target: number;
  readonly reason: string | null;
  readonly state: string;
  /** How often it was offered to the platform. */
  readonly offered: number;
  readonly settledStep: number | null;
  /** The entry that showed what became of it. */
  readonly settledEntryId: string | null;
  readonly picked: number | null;
  readonly filedAt: number;
  readonly settledAt: number | null;
}

export function changeEvents(
  changes: readonly ChangeRecord[],
  seqOf: (entryId: string) => number | null,
): TimelineEvent[] {
  return changes.flatMap((change) => {
    const line = change.externalId ?? change.itemNumber;
    const what = `${line === null ? "the whole order" : `line ${line}`} to ${change.target === 0 ? "be cancelled" : change.target}`;
    const wanted = event(change.filedAt, seqOf(change.entryId), `wanted: ${what}${because(change.reason)}`);
    if (change.settledAt === null) return [wanted];
    const seq = change.settledEntryId === null ? wanted.seq : seqOf(change.settledEntryId);
    return [wanted, event(change.settledAt, seq, `${change.state}: ${what}${howFar(change)}`)];
  });
}

const event = (at: number, seq: number | null, text: string): TimelineEvent => ({
  at: isoTime(at),
  kind: "change",
  seq,
  topic: null,
  text,
  state: null,
  operator: null,
  sender: null,
  answer: null,
});

const because = (reason: string | null) => (reason ? ` (${reason})` : "");

function howFar({ offered, settledStep, picked }: ChangeRecord): string {
  const facts = [
    offered > 0 ? `offered ${offered} times` : null,
    settledStep === null ? null : `seen at step ${settledStep}`,
    picked === null ? null : `${picked} picked by then`,
  ].filter((fact) => fact !== null);
  return facts.length === 0 ? "" : ` (${facts.join(", ")})`;
}
