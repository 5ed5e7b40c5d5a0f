import { type Static, Type } from "typebox";
import { amount, choice, filledIdentifier, identifier, record, text, wholeNumber } from "./schemas/parts.ts";

/** The topic of the one message of the adapter's own that is not derived from events of the floor. */
export const receiptTopic = "changeReceipt";
export type ReceiptTopic = typeof receiptTopic;

/** What became of a pushed change, for the external system. Exactly one per change that was not replaced by a newer one. */
export const changeReceiptSchema = record("ChangeReceipt", {
  changeId: text("Id of the change."),
  pushId: text("The id given for the push it came with; one push may bring several changes."),
  workOrderNumber: filledIdentifier("Work order number."),
  requestExternalIdentifier: Type.Optional(identifier("External ID of the line.")),
  itemNumber: Type.Optional(identifier("Item number.")),
  lotNumber: Type.Optional(
    identifier("Lot of the line, where it was pushed with one: without an external ID, item and lot tell the line."),
  ),
  receipt: choice(
    ["removed", "applied", "partly", "too-late"],
    "`removed`: taken out before the pick; `applied`: the platform has it; `partly`: some was picked already; `too-late`: all of it was picked.",
  ),
  atStep: Type.Optional(wholeNumber("How many steps of the order had been confirmed when the outcome was settled.")),
  pickedAmount: Type.Optional(amount("What was picked already.")),
  requestedAmount: amount("The amount still wanted; 0 for a cancellation."),
  reason: Type.Optional(text("Reason of the change.")),
});
export type ChangeReceipt = Static<typeof changeReceiptSchema>;
