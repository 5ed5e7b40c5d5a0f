import { Type } from "typebox";

/** What bad records do to the good ones beside them. The same two words are used wherever records come in. */
export const badRecordPolicies = ["quarantine", "refuse"] as const;
export type BadRecords = (typeof badRecordPolicies)[number];

/**
 * The setting `badRecords` of one source. `of` names what is refused as a whole, `shown` says where bad records can be
 * seen.
 */
export const badRecordsOption = (fallback: BadRecords, { of, shown }: { of: string; shown: string }) =>
  Type.Unsafe<BadRecords>({
    type: "string",
    enum: [...badRecordPolicies],
    description: `What happens to a bad record: \`quarantine\` withholds only this record (${shown}), \`refuse\` refuses ${of}.`,
    default: fallback,
  });
