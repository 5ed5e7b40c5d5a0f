import type { AnswerView } from "./answer-view.ts";
import type { ShownState } from "./shown-state.ts";

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
