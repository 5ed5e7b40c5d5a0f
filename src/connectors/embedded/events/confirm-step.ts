import { bookConfirmation } from "./book-confirmation.ts";
import { singleConfirmation } from "./confirmation.ts";
import type { EventHandler, EventNeeds } from "./event-handler.ts";

export const confirmStep =
  (needs: EventNeeds): EventHandler<"confirmStep"> =>
  (step, entry) =>
    bookConfirmation(needs, step, singleConfirmation(step), entry);
