import type { UpdateWorkOrderRequest } from "../../contract/schemas/update-work-order.ts";
import { updateWorkOrderRequestSchema } from "../../contract/schemas/update-work-order.ts";
import { validator } from "../../contract/validator.ts";
import { memberAt } from "../../sdk/http/member-at.ts";

export interface UpdateReading {
  readonly update: UpdateWorkOrderRequest | null;
  /** Why an update that came with the answer is not passed on. */
  readonly ignored: string | null;
}

const checks = validator(updateWorkOrderRequestSchema);
const none: UpdateReading = { update: null, ignored: null };
const ignored = (reason: string): UpdateReading => ({ update: null, ignored: reason });

/**
 * The update of a running order that an answer to a confirm step brings. The platform applies it at once, so one
 * that is not valid, or for another order than the step's, is left out; the step itself was delivered all the same.
 */
export function readUpdate(json: unknown, input: unknown): UpdateReading {
  const found = memberAt(json, "updateWorkOrderRequest");
  if (found === undefined || found === null) return none;
  const update = checks.canonical(found);
  if (!checks.isValid(update)) {
    const [problem] = checks.problems(update);
    return ignored(`it is not valid (${problem?.field || "the whole"}: ${problem?.expected ?? "?"})`);
  }
  const id = memberAt(update, "id");
  const wantedId = memberAt(memberAt(input, "updateWorkOrderRequest"), "id");
  if (typeof id !== "number" || id !== wantedId) return ignored(`it is for the order with id ${id}, not ${wantedId}`);
  // Checked against its schema above.
  return { update: update as UpdateWorkOrderRequest, ignored: null };
}
