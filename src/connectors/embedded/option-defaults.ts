import type { EmbeddedOptions } from "./options.ts";

export const optionDefaults = {
  timeZone: "UTC",
  timeOfDay: "00:00",
  exportColumns: [],
  indexableValueLabel: "",
  servesOrders: true,
  files: {},
  removedReceiptAfterMinutes: 720,
};

/**
 * Options with what was not said filled in. Apart from the schema, and without it: the writer's thread needs this
 * much only, and loading the schema library there would delay every start.
 */
export const withDefaults = (given: Partial<EmbeddedOptions>): EmbeddedOptions => ({ ...optionDefaults, ...given });
