/**
 * Apart from the schema and without it: the writer's thread needs only this, and loading the schema library there would
 * delay every start.
 */
export const optionDefaults = {
  timeZone: "UTC",
  timeOfDay: "00:00",
  exportColumns: [],
  indexableValueLabel: "",
  servesOrders: true,
  files: { badRecords: "refuse" as const },
  removedReceiptAfterMinutes: 720,
};

/** Options with what was not said filled in. */
export const withDefaults = <Given extends object>(given: Given): typeof optionDefaults & Given => ({
  ...optionDefaults,
  ...given,
});
