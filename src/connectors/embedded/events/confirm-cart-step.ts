import { bookConfirmation } from "./book-confirmation.ts";
import { pickConfirmation } from "./confirmation.ts";
import type { EventHandler, EventNeeds } from "./event-handler.ts";

export const confirmCartStep =
  (needs: EventNeeds): EventHandler<"confirmCartStep"> =>
  (step, entry) => {
    const confirmed = pickConfirmation(step, step.amountToConfirmSummary);
    // A single step with the same amounts is another step, and not this one sent again.
    return bookConfirmation(needs, step, { ...confirmed, mark: `cart|${confirmed.mark}` }, entry);
  };
