import { Type } from "typebox";

/** The place of a mapping among a connector's options. What the rules may hold is checked when they are compiled. */
export const mappingSchema = Type.Unsafe<Readonly<Record<string, unknown>>>({
  type: "object",
  description:
    "Field rules: member of the contract → path into the source record, `= JSONata expression`, or an object such as " +
    '{ from: Qty, number: { decimal: "," }, round: down }.',
});
