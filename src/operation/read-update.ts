import { type UpdateWorkOrderRequest, updateWorkOrderRequestSchema } from "../contract/schemas/confirm-step.ts";
import { type Validator, validator } from "../contract/validate/validator.ts";
import { withSentNumbers } from "./platform-ids.ts";

interface UpdateReading {
  readonly update: UpdateWorkOrderRequest | null;
  /** Why an update in the answer is ignored. */
  readonly ignored: string | null;
}

const none: UpdateReading = { update: null, ignored: null };
const ignored = (reason: string): UpdateReading => ({ update: null, ignored: reason });

let compiled: Validator | undefined;

/**
 * Reads the update of a running order from the answer to a confirm step. The platform applies it at once, so an update
 * that is invalid, or for a different order than the step's, is ignored. The step itself still counts as delivered.
 * Whole numbers that a JavaScript number cannot hold are compared digit by digit with those of the step, `sent`.
 */
export function readUpdate(
  answer: unknown,
  input: unknown,
  sent: ReadonlySet<string> = new Set<string>(),
): UpdateReading {
  const found = member(answer, "updateWorkOrderRequest");
  if (found === undefined || found === null) return none;
  // Compiled for the first answer that has an update: most deployments never get one.
  compiled ??= validator(updateWorkOrderRequestSchema);
  const checks = compiled;
  const exact = withSentNumbers(checks.canonical(found), sent);
  if ("unknown" in exact) return ignored(`it has the number ${exact.unknown}, which is not in the step`);
  const update = exact.value;
  if (!checks.isValid(update)) {
    const [problem] = checks.problems(update);
    return ignored(`it is not valid (${problem?.field || "the whole"}: ${problem?.expected ?? "?"})`);
  }
  const wanted = withSentNumbers({ id: member(member(input, "updateWorkOrderRequest"), "id") }, sent);
  const wantedId = "value" in wanted ? member(wanted.value, "id") : undefined;
  const id = member(update, "id");
  if (typeof id !== "number" || id !== wantedId) {
    const step = member(member(input, "updateWorkOrderRequest"), "id");
    return ignored(`it is for the order with id ${String(member(found, "id"))}, not ${String(step)}`);
  }
  // Checked against its schema above.
  return { update: update as UpdateWorkOrderRequest, ignored: null };
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  // An own member of an object, as checked above.
  return (value as Readonly<Record<string, unknown>>)[name];
}
