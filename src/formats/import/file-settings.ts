import { type Static, Type } from "typebox";
import { badRecordsOption } from "../../operation/bad-records.ts";
import type { DateSettings } from "../../operation/dates.ts";
import { encodings } from "../encodings/encoding.ts";
import { type Where, whereSchema } from "./where.ts";

const oneOf = <const Choice extends string>(choices: readonly Choice[], description: string) =>
  Type.Optional(Type.Unsafe<Choice>({ type: "string", enum: [...choices], description }));

export const fileProfileSchema = Type.Object(
  {
    name: Type.String({ description: "Name of the profile, shown when a file matches it." }),
    header: Type.Optional(
      Type.Array(Type.String(), {
        description: "Columns that a file must have to match this profile; default: all that `columns` maps.",
      }),
    ),
    columns: Type.Optional(
      Type.Unsafe<Readonly<Record<string, string>>>({
        type: "object",
        additionalProperties: { type: "string" },
        description: "Header in the file → field of the contract.",
      }),
    ),
    where: Type.Optional(whereSchema),
    delimiter: Type.Optional(Type.String({ pattern: "^[\\t -~]$", description: "Separator between cells." })),
    encoding: oneOf(encodings, "Character encoding."),
    decimalSign: oneOf([".", ","], "Decimal sign of numbers."),
    dateOrder: oneOf(["dmy", "mdy", "ymd"], "Order of day, month and year."),
  },
  { title: "FileProfile", additionalProperties: false },
);
/** A deployment's settings for the files of one of its systems. */
export type FileProfile = Static<typeof fileProfileSchema>;

export const fileOptionsSchema = Type.Object(
  {
    badRecords: Type.Optional(badRecordsOption("refuse", { of: "the whole file", shown: "the reading names it" })),
    encoding: oneOf(
      encodings,
      "Character encoding of files that are not UTF-8 and have no byte order mark; default: detected, and the file is refused if the encoding is unclear.",
    ),
    profiles: Type.Optional(Type.Array(fileProfileSchema, { description: "Known file layouts." })),
  },
  { title: "FileOptions", additionalProperties: false },
);
type FileOptions = Static<typeof fileOptionsSchema>;

export interface FileSettings extends FileOptions {
  /** Zone and time of day for dates without them. */
  readonly dates: Omit<DateSettings, "dateOrder">;
  /** Which rows of every file are read, in addition to its profile's conditions. */
  readonly where?: Where;
}
