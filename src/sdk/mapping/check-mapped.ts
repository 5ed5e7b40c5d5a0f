import type { TSchema } from "typebox";
import { type AskId, operationRow } from "../../contract/operations.ts";
import { type PushedItem, type PushedWorkOrder, type PushTopic, pushRow, pushTopics } from "../../contract/pushes.ts";
import { type Problem, validator } from "../../contract/validator.ts";
import type { DateSettings } from "../dates.ts";
import { normaliseItem, normaliseWorkOrder } from "../normalise-work-order.ts";

const topicByAsk: Readonly<Partial<Record<AskId, PushTopic>>> = {
  listWorkOrders: "workOrders",
  findWorkOrderByCode: "workOrders",
  findPutWallOrders: "workOrders",
  getItem: "items",
};

// The list has fewer names than a text may be; includes() takes only those.
const isTopic = (name: AskId | PushTopic): name is PushTopic => (pushTopics as readonly string[]).includes(name);
const topicOf = (serves: AskId | PushTopic): PushTopic | undefined => (isTopic(serves) ? serves : topicByAsk[serves]);

/** What one record has to become: orders and items as they are pushed, everything else as the contract has it. */
export function mappedSchema(serves: AskId | PushTopic): TSchema | undefined {
  const topic = topicOf(serves);
  if (topic !== undefined) return pushRow(topic).element;
  return isTopic(serves) ? undefined : operationRow(serves).data;
}

/** A mapped record in the form the platform would get it, or what the contract has against it. */
export function checkMapped(
  serves: AskId | PushTopic,
  mapped: unknown,
  dates: DateSettings,
): { readonly record: unknown } | { readonly problems: readonly Problem[] } {
  const schema = mappedSchema(serves);
  if (schema === undefined) return { record: mapped };
  const checks = validator(schema);
  const value = checks.canonical(mapped);
  if (!checks.isValid(value)) return { problems: checks.problems(value) };
  const topic = topicOf(serves);
  if (topic === "workOrders") {
    // Checked against the schema of pushed orders just now; items below likewise.
    const normalised = normaliseWorkOrder(value as PushedWorkOrder, dates);
    return "workOrder" in normalised ? { record: normalised.workOrder } : normalised;
  }
  // Checked against the schema of its topic above.
  return { record: topic === "items" ? normaliseItem(value as PushedItem) : value };
}
