/**
 * Kept apart from the schema: the writer's thread needs only the defaults, and loading the schema library there would
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

/** Returns the options with defaults for those that are missing. */
export const withDefaults = <Given extends object>(given: Given): typeof optionDefaults & Given => ({
  ...optionDefaults,
  ...given,
});
