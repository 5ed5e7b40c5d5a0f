import type { Journal } from "../journal/journal.ts";
import type { Clock } from "../kit/clock.ts";
import type { Given } from "./tell.ts";

/** Told what becomes of an answer. */
export interface AnswerNotes {
  /** All of it is with the operating system; whether it arrives shows in a moment. */
  readonly written: () => void;
  /** It has been given; what it returns takes that back. */
  readonly taken: () => () => void;
  /** It was written, and is known not to have arrived. */
  readonly unread: () => void;
}

/** A connection that breaks later says nothing about an answer that had all this time to be read. */
const unreadMs = 2_000;

export const createAnswerNotes =
  (journal: Pick<Journal, "markAnswered" | "takeBackAnswered" | "noteWritten">, clock: Clock) =>
  ({ seq, tellsApart }: Given): AnswerNotes => ({
    written: () => {
      // What is recognised by its content alone does not pay for it.
      if (tellsApart) journal.noteWritten(seq, clock.now());
    },
    taken: () => {
      const at = clock.now();
      journal.markAnswered(seq, at);
      return () => {
        if (clock.now() - at <= unreadMs) journal.takeBackAnswered(seq, at);
      };
    },
    unread: () => {
      if (tellsApart) journal.noteWritten(seq, null);
    },
  });
