import { type Static, Type } from "typebox";
import { validator } from "../../contract/validator.ts";
import { type Booking, orderStates } from "./erp-records.ts";

const choice = <Name extends string>(names: readonly Name[]) => Type.Unsafe<Name>({ type: "string", enum: [...names] });
const text = Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Null()]));
const qty = Type.Optional(Type.Union([Type.Number(), Type.Null()]));
const kinds = ["pick", "put away", "cancel", "attach", "release", "move", "state", "note"] as const;

const documentSchema = Type.Object({
  ...{ what: choice<Booking["what"]>(kinds), order: Type.Union([Type.String(), Type.Number()]) },
  ...{ line: text, item: text, qty, tote: text, place: text, note: text },
  totes: Type.Optional(Type.Array(Type.Object({ tote: text, qty }))),
});
const { isValid } = validator(documentSchema);
const states = new Set<string>(orderStates);

/** What somebody tells in the ERP's own words: one thing, split by `totes` where it went into several. Null is none. */
export function readDocument(value: unknown): readonly Booking[] | null {
  if (!isValid(value)) return null;
  // The schema has just said so.
  const { what, order, line, item, place, note, totes, ...own } = value as Static<typeof documentSchema>;
  if (what === "state" && !states.has(String(note))) return null;
  return (totes ?? [own]).map((share) => ({
    ...{ what, order: String(order), line: textOf(line), item: textOf(item), qty: share.qty ?? null },
    ...{ tote: textOf(share.tote), place: textOf(place), note: textOf(note) },
  }));
}

const textOf = (value: string | number | null | undefined) =>
  value === null || value === undefined ? null : String(value);
