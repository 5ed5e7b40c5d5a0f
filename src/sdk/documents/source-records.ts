import type { OperatorText } from "../../messages/message.ts";
import type { DetectedColumn, FileNotes, FileProblem } from "../records/file-reading.ts";

/** One record of a file as it stands there. */
export interface SourceRecord {
  /** Row of the file, or number of the element; counted from 1. */
  readonly row: number;
  readonly value: unknown;
}

/** What a file holds, or why it cannot be read at all. */
export type SourceRecords =
  | {
      readonly records: readonly SourceRecord[];
      /** Whether they are in the form of the push table already, without a mapping. */
      readonly isReady: boolean;
      /** What was left out because it is wrong. */
      readonly withheld: readonly FileProblem[];
      readonly withheldCount: number;
      /** What else is to be said: columns that are not used, records that `where` left out. */
      readonly notes?: FileNotes;
      /** Of a CSV file: its columns, and what each was taken for. */
      readonly columns?: readonly DetectedColumn[];
    }
  | {
      readonly refusal: readonly (FileProblem | string)[];
      readonly count: number;
      readonly columns?: readonly DetectedColumn[];
    };

export const refusedBecause = (text: OperatorText): Extract<SourceRecords, { refusal: unknown }> => ({
  refusal: [typeof text === "string" ? text : { row: 0, column: "", value: "", text }],
  count: 1,
});
export const all = (records: readonly SourceRecord[], isReady: boolean): SourceRecords => ({
  ...{ records, isReady },
  ...{ withheld: [], withheldCount: 0 },
});
