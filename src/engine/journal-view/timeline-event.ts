import { type Phrase, phrase, phraseList, phraseOr, sayPhrase } from "../../messages/phrases/phrase.ts";
import { inBrackets } from "./entries/describe-event.ts";
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
    /** The amounts of the order's lines after a step was applied. */
    | "amounts"
    | "attempt"
    | "action"
    /** A change was requested, or its result became known. */
    | "change"
    | "held";
  /** The journal entry that the event belongs to. */
  readonly seq: number | null;
  readonly topic: string | null;
  /** In English. */
  readonly text: string;
  /** The text as a phrase that can be said in every language; null if the text is not the adapter's own. */
  readonly phrase: Phrase | null;
  readonly state: ShownState | null;
  readonly operator: string | null;
  /** The sender of a push. */
  readonly sender: string | null;
  readonly answer: Omit<AnswerView, "data"> | null;
}

/** A change to an order that the external system requested, and its result. */
export interface ChangeRecord {
  /** The push that requested the change. */
  readonly entryId: string;
  readonly externalId: string | null;
  readonly itemNumber: string | null;
  readonly lot: string | null;
  /** The requested amount; 0 cancels. */
  readonly target: number;
  readonly reason: string | null;
  readonly state: string;
  /** How often the change was offered to the platform. */
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
    const requested = requestedText(change);
    const asked = phrase("timeline.wanted", { what: requested, reason: inBrackets(change.reason) });
    const wanted = event(change.filedAt, seqOf(change.entryId), asked);
    if (change.settledAt === null) return [wanted];
    const seq = change.settledEntryId === null ? wanted.seq : seqOf(change.settledEntryId);
    const state = phraseOr(`change.${change.state}`, change.state);
    const became = phrase("timeline.became", { state, what: requested, facts: factsOf(change) });
    return [wanted, event(change.settledAt, seq, became)];
  });
}

const event = (at: number, seq: number | null, what: Phrase): TimelineEvent => ({
  ...plainEvent,
  ...{ at: isoTime(at), kind: "change", seq, ...textOf(what) },
});

/** The members of an event that is neither a call nor a push. */
export const plainEvent = { topic: null, state: null, operator: null, sender: null, answer: null } as const;

export const textOf = (what: Phrase) => ({ text: sayPhrase(what), phrase: what });

function requestedText({ externalId, itemNumber, lot, target }: ChangeRecord): Phrase {
  const line =
    externalId ?? (itemNumber !== null && lot !== null ? phrase("event.lot", { item: itemNumber, lot }) : null);
  const name = line ?? itemNumber ?? lot;
  const what = name === null || name === "" ? phrase("timeline.wholeOrder") : phrase("event.line", { line: name });
  return target === 0
    ? phrase("timeline.toBeCancelled", { what })
    : phrase("timeline.toAmount", { what, amount: target });
}

function factsOf({ offered, settledStep, picked }: ChangeRecord): Phrase | string {
  const facts = [
    ...(offered > 0 ? [phrase("timeline.offered", { count: offered })] : []),
    ...(settledStep === null ? [] : [phrase("timeline.seenAt", { step: settledStep })]),
    ...(picked === null ? [] : [phrase("timeline.pickedByThen", { amount: picked })]),
  ];
  return facts.length === 0 ? "" : phrase("brackets", { text: phraseList(facts) });
}
