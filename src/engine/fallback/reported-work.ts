import { WorkOrderStatus } from "../../contract/enums.ts";
import { type OperationId, operationIds, operationRow } from "../../contract/operations.ts";
import type { Attachment, StatusChange } from "../../contract/schemas/events.ts";
import type { Entry } from "../../journal/entry.ts";
import type { JournalReader } from "../../journal/journal.ts";
import { parseJson } from "../../kit/json/parse/parse-json.ts";
import { orderLane } from "../../operation/lane.ts";

export type WorkState = "none" | "started" | "finished" | "cancelled";

/** What the floor reported about an order that the external system could not know when it last answered. */
export interface ReportedWork {
  readonly since: (orderNumber: string, at: number) => WorkState;
}

const maxEntries = 20;
const events = new Set<string>(operationIds.filter((id: OperationId) => operationRow(id).kind === "event"));

const endings: Partial<Record<WorkOrderStatus, WorkState>> = {
  [WorkOrderStatus.Completed]: "finished",
  [WorkOrderStatus.CompletedWithCancelations]: "finished",
  [WorkOrderStatus.Empty]: "finished",
  [WorkOrderStatus.Canceled]: "cancelled",
  [WorkOrderStatus.Abandoned]: "none",
  [WorkOrderStatus.New]: "none",
  [WorkOrderStatus.Unknown]: "none",
};

/** Reads the journal, where every event of an order is in the order's lane. */
export function reportedWork(journal: Pick<JournalReader, "list" | "entry">): ReportedWork {
  return {
    since: (orderNumber, at) => {
      const entries = latestOf(journal, orderNumber);
      // Newest first: the latest event that changes the order's state decides.
      const latest = entries.find((entry) => events.has(entry.topic) && isNews(entry, at));
      return latest === undefined ? "none" : stateAfter(journal, latest);
    },
  };
}

/** Whether an event of the order is still being delivered, or arrived at the external system after this time. */
export function hasNewsSince(journal: Pick<JournalReader, "list">, orderNumber: string, at: number): boolean {
  return latestOf(journal, orderNumber).some((entry) => events.has(entry.topic) && isNews(entry, at));
}

/** Without their bodies: each step of a long order has megabytes, and a scan waits for this. */
const latestOf = (journal: Pick<JournalReader, "list">, orderNumber: string): readonly Entry[] =>
  journal.list({ lane: orderLane(orderNumber), direction: "out", limit: maxEntries, isBrief: true });

/**
 * Whether the event is news for an answer of that time: the external system did not know the event yet. A refused event
 * does not count.
 */
function isNews({ state, target, receivedAt, deliveredAt }: Entry, at: number): boolean {
  if (state === "rejected") return false;
  const isKept = target === null || (state === "delivered" && deliveredAt === null);
  if (isKept || state === "discarded") return receivedAt >= at;
  return deliveredAt === null || deliveredAt >= at;
}

function stateAfter(journal: Pick<JournalReader, "entry">, { seq, topic }: Entry): WorkState {
  if (topic !== "changeStatus" && topic !== "attachWorkOrder") return "started";
  const { payload = null, body = "" } = journal.entry(seq) ?? {};
  // The event was checked against the schema of its topic before it was stored. Its body may be empty now, because
  // retention erases bodies.
  const event = readOr(payload ?? body) as Partial<StatusChange & Attachment>;
  if (topic === "attachWorkOrder") return event.isAbandonedOrCancelled === true ? "none" : "started";
  return event.status === undefined ? "started" : (endings[event.status] ?? "started");
}

function readOr(text: string): object {
  // Payloads of events are objects.
  return text === "" ? {} : (parseJson(text) as object);
}
