import { Type } from "typebox";

/** What bad records do to the good ones beside them; the same two words wherever records come in. */
export const badRecordPolicies = ["quarantine", "refuse"] as const;
export type BadRecords = (typeof badRecordPolicies)[number];

/** The setting `badRecords` of one source: `of` names what is refused as a whole, `told` where the bad ones are shown. */
export const badRecordsOption = (fallback: BadRecords, { of, told }: { of: string; told: string }) =>
  Type.Unsafe<BadRecords>({
    type: "string",
    enum: [...badRecordPolicies],
    description: `What a bad record does: \`quarantine\` holds only it back (${told}), \`refuse\` refuses ${of}.`,
    default: fallback,
  });
