import { WorkOrderStatus } from "../../contract/enums.ts";
import type { EventId, InputOf } from "../../contract/operations.ts";
import type { PushedElement, PushTopic } from "../../contract/pushes.ts";
import type { PickingSummary } from "../../contract/schemas/confirm-step.ts";

/** The embedded store's message to the external system about a change; `src/store` has the full type. */
interface Receipt {
  readonly receipt: string;
  readonly requestExternalIdentifier?: string | null;
  readonly itemNumber?: string | null;
  readonly lotNumber?: string | null;
  readonly atStep?: number | null;
  readonly pickedAmount?: number | null;
}

type Described = { readonly [Id in EventId]: InputOf<Id> } & { readonly [Topic in PushTopic]: PushedElement[Topic] } & {
  readonly changeReceipt: Receipt;
};

/** One line that describes the event, for lists. */
const sentences: { readonly [Topic in keyof Described]: (said: Described[Topic]) => string } = {
  confirmStep: (step) => {
    const placed = step.amountToConfirmPlacingInBaseUnitOfMeasure;
    const what = typeof placed === "number" ? `${placed} placed` : picked(step.amountToConfirmPickingSummary);
    return `line ${step.requestId}${of(step.itemNumber)}: ${what}${left(step.requestRemainingAmountInBaseUnitOfMeasure)}`;
  },
  confirmCartStep: (step) =>
    `line ${step.requestId}${of(step.itemNumber)}: ${picked(step.amountToConfirmSummary)}${left(step.requestRemainingAmountInBaseUnitOfMeasure)}`,
  confirmPutWallPlacement: (put) =>
    `${put.completedAmount} × ${put.itemNumber} put${at(put.confirmedLocationName)} on the wall`,
  cancelPutWallItem: ({ itemNumber }) => `${itemNumber} cancelled at the wall`,
  cancelWorkOrderRequest: ({ request, requestExternalIdentifier }) =>
    `line ${request?.requestId ?? requestExternalIdentifier}${of(request?.itemNumber)} cancelled`,
  changeStatus: ({ status }) => `status ${nameOf(status)}`,
  attachWorkOrder: ({ containerCode, isAbandonedOrCancelled }) =>
    `container ${containerCode} ${isAbandonedOrCancelled ? "released" : "attached"}`,
  relocateCartContainers: (moves) =>
    moves.map((move) => `container ${move.containerCode} moved to ${move.destinationLocationName}`).join(", ") ||
    "nothing moved",
  workOrders: ({ requests, dueDate }) => `order of ${counted(requests.length, "line")}, due ${dueDate}`,
  cancellations: ({ requestExternalIdentifier, itemNumber, lotNumber, requestedAmount, reason }) => {
    const line = requestExternalIdentifier || [itemNumber, lotNumber].filter(Boolean).join(" lot ");
    // It may be more than before.
    const what =
      typeof requestedAmount === "number" && requestedAmount > 0 ? `wanted: ${requestedAmount}` : "cancelled";
    return `${line ? `line ${line}` : "the order"} ${what}${reason ? ` (${reason})` : ""}`;
  },
  changeReceipt: ({ receipt, requestExternalIdentifier, itemNumber, lotNumber, atStep, pickedAmount }) => {
    const line = requestExternalIdentifier || [itemNumber, lotNumber].filter(Boolean).join(" lot ");
    const facts = [
      typeof atStep === "number" ? `at step ${atStep}` : "",
      typeof pickedAmount === "number" ? `${pickedAmount} picked` : "",
    ].filter((fact) => fact !== "");
    return `${receipt}: ${line ? `line ${line}` : "the order"}${facts.length === 0 ? "" : ` (${facts.join(", ")})`}`;
  },
  items: ({ number, name }) => `item ${number}${name ? ` (${name})` : ""}`,
  indexableValues: ({ value }) => (value ? `indexed by ${value}` : "indexed by nothing"),
  stock: ({ itemNumber, locationName, amount }) => `${amount} × ${itemNumber} on hand${at(locationName)}`,
};

const maxCharacters = 200;

export function describeEvent(topic: string, value: unknown): string {
  if (value === undefined) return "content erased by retention";
  // One of its members, by the same line.
  const sentence = Object.hasOwn(sentences, topic) ? sentences[topic as keyof Described] : undefined;
  // Stored values were checked against the schema of their topic; values of an older version may lack members.
  const text = sentence === undefined ? JSON.stringify(value) : attempted(() => sentence(value as never), value);
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters - 1)}…` : text;
}

function attempted(say: () => string, value: unknown): string {
  try {
    return say();
  } catch {
    return JSON.stringify(value);
  }
}

function picked(summary: PickingSummary | null | undefined): string {
  const shares = summary?.containersBreakdown ?? [];
  const amount = shares.reduce((sum, share) => sum + (share.amountToConfirmInBaseUnitOfMeasure ?? 0), 0);
  const containers = shares.flatMap(({ containerCode }) => (containerCode ? [containerCode] : []));
  const from = summary?.locationName ? ` from ${summary.locationName}` : "";
  return `${amount} picked${from}${containers.length === 0 ? "" : ` into ${[...new Set(containers)].join(", ")}`}`;
}

const of = (item: string | null | undefined) => (item ? ` (${item})` : "");
const at = (place: string | null | undefined) => (place ? ` at ${place}` : "");
const left = (amount: number | null | undefined) => (typeof amount === "number" ? `, ${amount} remaining before` : "");
const counted = (count: number, word: string) => `${count} ${word}${count === 1 ? "" : "s"}`;
const nameOf = (status: number) =>
  Object.entries(WorkOrderStatus).find(([, number]) => number === status)?.[0] ?? String(status);
