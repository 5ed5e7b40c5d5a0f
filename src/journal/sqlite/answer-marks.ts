import type { Database } from "../../kit/sqlite.ts";
import type { Mark } from "./command.ts";

/** An answer comes soon after its event. Notes of another folder's life do not fit the entries of this one. */
const longestMs = 24 * 3600 * 1000;

export interface AnswerMarks {
  /** Neighbours that were answered in the same moment are one update. */
  readonly store: (marks: readonly Mark[]) => void;
  /** Of an earlier process: only where it has stored none itself. */
  readonly inherit: (marks: readonly Mark[]) => void;
}

/** Writes down which entries were answered and when. */
export function answerMarks(database: Database): AnswerMarks {
  const answered = database.statement("UPDATE entry SET answered_at = ? WHERE seq BETWEEN ? AND ?");
  const unanswered = database.statement("UPDATE entry SET answered_at = NULL WHERE answered_at = ? AND seq = ?");
  const inherited = database.statement(
    "UPDATE entry SET answered_at = ? WHERE seq = ? AND answered_at IS NULL AND received_at BETWEEN ? AND ?",
  );
  const store = (marks: readonly Mark[]) => {
    let index = 0;
    for (let mark = marks[index]; mark !== undefined; mark = marks[index]) {
      const [first, at, isBack] = mark;
      index++;
      if (isBack) unanswered.run(at, first);
      else {
        let last = first;
        for (; isNext(marks[index], last, at); index++) last++;
        answered.run(at, first, last);
      }
    }
  };
  return {
    store,
    inherit: (marks) => {
      for (const [seq, at] of marks) inherited.run(at, seq, at - longestMs, at);
    },
  };
}

const isNext = (mark: Mark | undefined, last: number, at: number): boolean =>
  mark !== undefined && mark[0] === last + 1 && mark[1] === at && mark[2] !== true;
