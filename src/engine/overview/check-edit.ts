import { type OperationId, operationIds, operationRow, type TellId } from "../../contract/operations.ts";
import { type PushTopic, pushRow, pushTopics } from "../../contract/pushes.ts";
import { type Problem, type Validator, validator } from "../../contract/validator.ts";
import type { Entry } from "../../journal/entry.ts";
import { lanesOfTell } from "../lanes.ts";

/** A new body, read: what it says and the text it was said with. */
export interface EditedBody {
  readonly value: unknown;
  readonly text: string;
}

export type CheckedEdit =
  | { readonly body: string }
  | { readonly problems: readonly Problem[] }
  /** It is now about another order or container. */
  | { readonly otherLanes: readonly string[] };

const validators = new Map<string, Validator>();

/**
 * A mended body must be as good as one that was sent: valid for its row, in documented spelling, and about the same
 * order and containers. The entry keeps its place in the lanes it was accepted in; a body about another order would
 * overtake, unseen, what waits for that one.
 */
export function checkEdit({ topic, lanes }: Entry, { value, text }: EditedBody): CheckedEdit {
  const checks = validatorOf(topic);
  if (checks === null) {
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? { body: text } : { problems: [{ field: "", expected: "object" }] };
  }
  const input = checks.canonical(value);
  if (!checks.isValid(input)) return { problems: checks.problems(input) };
  if (isTell(topic)) {
    const wanted = new Set(lanesOfTell(topic, input));
    const otherLanes = [...lanes.filter(({ lane }) => !wanted.delete(lane)).map(({ lane }) => lane), ...wanted];
    if (otherLanes.length > 0) return { otherLanes };
  }
  return { body: input === value ? text : JSON.stringify(input) };
}

const isTell = (topic: string): topic is TellId =>
  (operationIds as string[]).includes(topic) && operationRow(topic as OperationId).kind === "tell";

/** Null for messages of our own, which no table describes. */
function validatorOf(topic: string): Validator | null {
  const known = validators.get(topic);
  if (known !== undefined) return known;
  const schema = isTell(topic)
    ? operationRow(topic).body
    : (pushTopics as string[]).includes(topic)
      ? pushRow(topic as PushTopic).element
      : undefined;
  if (schema === undefined) return null;
  const made = validator(schema);
  validators.set(topic, made);
  return made;
}
