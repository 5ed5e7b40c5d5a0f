import { type AnswerView, isoTime, type ShownState } from "./entries/entry-view.ts";

/** Something that happened to an order, with its time. */
export interface TimelineEvent {
  readonly at: string;
  readonly kind: /** The platform called. */
    | "call"
    /** The external system pushed. */
    | "push"
    /** The adapter sent its own message to the external system, such as a receipt. */
    | "message"
    /** An answer to the platform carried a change. */
    | "offer"
    /** The amounts of its lines after a step was applied. */
    | "amounts"
    | "attempt"
    | "action"
    /** A change was requested, or its result became known. */
    | "change"
    | "held";
  /** The journal entry it belongs to. */
  readonly seq: number | null;
  readonly topic: string | null;
  readonly text: string;
  readonly state: ShownState | null;
  readonly operator: string | null;
  /** For a push: its sender. */
  readonly sender: string | null;
  readonly answer: Omit<AnswerView, "data"> | null;
}

/** A change to an order that the external system requested, and its result. */
export interface ChangeRecord {
  /** The push that requested it. */
  readonly entryId: string;
  readonly externalId: string | null;
  readonly itemNumber: string | null;
  readonly lot: string | null;
  /** The requested amount; 0 cancels. */
  readonly target: number;
  readonly reason: string | null;
  readonly state: string;
  /** How often it was offered to the platform. */
  readonly offered: number;
  readonly settledStep: number | null;
  /** The entry that showed the result. */
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
    const line = change.externalId ?? [change.itemNumber, change.lot].filter((name) => name !== null).join(" lot ");
    const what = `${line === "" ? "the whole order" : `line ${line}`} to ${change.target === 0 ? "be cancelled" : change.target}`;
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
