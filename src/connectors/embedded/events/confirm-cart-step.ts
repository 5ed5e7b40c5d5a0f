import { bookConfirmation } from "./book-confirmation.ts";
import { pickConfirmation } from "./confirmation.ts";
import type { EventHandler, EventNeeds } from "./event-handler.ts";

export const confirmCartStep =
  (needs: EventNeeds): EventHandler<"confirmCartStep"> =>
  (step, entry) =>
    bookConfirmation(needs, step, pickConfirmation(step, step.amountToConfirmSummary), entry);
