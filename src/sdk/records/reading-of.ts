import { say } from "../../messages/message.ts";
import type { Detected, FileNotes, FileReading } from "./file-reading.ts";
import type { ProblemList } from "./problem-list.ts";

/** All or nothing, or the good ones where that is wanted and there are any. */
export function readingOf<Item>(result: {
  records: readonly Item[];
  badCount: number;
  problems: ProblemList;
  detected: Detected;
  isPartial: boolean;
  notes?: FileNotes;
}): FileReading<Item> {
  const { records, problems, detected, isPartial } = result;
  const { count: problemCount } = problems;
  const notes = result.notes === undefined ? {} : { notes: result.notes };
  if (problemCount === 0) return { ok: true, records, detected, withheld: null, ...notes };
  if (isPartial && records.length > 0) {
    const withheld = { recordCount: result.badCount, problems: problems.sorted(), problemCount };
    return { ok: true, records, detected, withheld, ...notes };
  }
  const message = say("files.refused", { count: problemCount });
  return { ok: false, result: "InvalidInput", message, problems: problems.sorted(), problemCount, detected };
}
