import type { Database } from "../../kit/sqlite.ts";
import type { Mark } from "./command.ts";

/** Writes down which entries were answered and when. Neighbours that were answered in the same moment are one update. */
export function answerMarks(database: Database): (marks: readonly Mark[]) => void {
  const answered = database.statement("UPDATE entry SET answered_at = ? WHERE seq BETWEEN ? AND ?");
  const unanswered = database.statement("UPDATE entry SET answered_at = NULL WHERE answered_at = ? AND seq = ?");
  return (marks) => {
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
}

const isNext = (mark: Mark | undefined, last: number, at: number): boolean =>
  mark !== undefined && mark[0] === last + 1 && mark[1] === at && mark[2] !== true;
