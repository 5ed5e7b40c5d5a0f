/**
 * How much of a line is picked in all once a step is confirmed: absolute, so that an event that arrives twice changes
 * nothing the second time. The summary has another name in steps with a cart.
 */
export const pickedAmount = (summary: "amountToConfirmPickingSummary" | "amountToConfirmSummary"): string =>
  "= requestAmountInBaseUnitOfMeasure - requestRemainingAmountInBaseUnitOfMeasure + " +
  `$sum(${summary}.containersBreakdown.amountToConfirmInBaseUnitOfMeasure)`;
