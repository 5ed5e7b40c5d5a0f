import { RequestType, UnitOfMeasure } from "../../../contract/enums.ts";
import type { UpdateWorkOrderRequest } from "../../../contract/schemas/confirm-step.ts";
import type { RequestLine, WorkOrder } from "../../../contract/schemas/work-order.ts";

/** A line in the platform while it is processed. Amounts are in base units. */
export interface RunningLine {
  readonly requestId: number;
  readonly itemNumber: string;
  readonly itemName: string | null;
  readonly unit: UnitOfMeasure;
  readonly factor: number;
  readonly lot: string | null;
  readonly externalId: string | null;
  readonly externalData: string | null;
  readonly type: RequestType;
  readonly order: number;
  readonly designatedLocation: string | null;
  requested: number;
  picked: number;
  isCancelled: boolean;
  /** The amount picked of this line under other request ids, which `picked` does not include. */
  readonly before: number;
  /** Whether the line had another request id before, with picks. */
  readonly isRenewed: boolean;
  /** Whether a step with this request id was confirmed. */
  isStepped: boolean;
}

export interface RunningOrder {
  readonly id: number;
  readonly order: WorkOrder;
  /** How the platform got it; an order from a file need not be found by a scan. */
  readonly source: "list" | "file";
  readonly lines: RunningLine[];
  /** Number of confirmed steps. */
  steps: number;
  /** Number of request ids used. */
  ids: number;
  isFetchedAgain: boolean;
  /** An update that is applied some steps late. */
  late: { readonly update: UpdateWorkOrderRequest; stepsLeft: number } | null;
}

export const openAmount = (line: RunningLine): number =>
  line.isCancelled ? 0 : Math.max(0, line.requested - line.picked);

export function runningOrder(order: WorkOrder, id: number, source: RunningOrder["source"]): RunningOrder {
  const lines = order.requests.map((request, index) => runningLine(request, index, id * 100 + index + 1));
  return { id, order, source, lines, steps: 0, ids: lines.length, isFetchedAgain: false, late: null };
}

function runningLine(request: RequestLine, index: number, requestId: number): RunningLine {
  const unit = request.unitOfMeasure ?? UnitOfMeasure.Piece;
  const factor = baseUnitsPer(unit);
  const requested = request.requestedAmount * factor;
  return {
    requestId,
    itemNumber: request.itemNumber,
    itemName: request.itemName ?? null,
    unit,
    factor,
    lot: request.lotNumber ?? null,
    externalId: request.requestExternalIdentifier ?? null,
    externalData: request.requestExternalData ?? null,
    type: request.requestType ?? RequestType.PickItem,
    order: request.order ?? index + 1,
    designatedLocation: request.designatedLocationName ?? null,
    requested,
    picked: 0,
    isCancelled: false,
    before: 0,
    isRenewed: false,
    isStepped: false,
  };
}

/**
 * The platform adopts content that it has fetched again: every line gets a new request id. Earlier picks are either
 * included in the new line or kept beside it.
 */
export function takeOver(running: RunningOrder, content: WorkOrder, isCarriedOver: boolean): void {
  const before = new Map(running.lines.map((line) => [line.externalId ?? line.itemNumber, line]));
  const lines = content.requests.map((request, index): RunningLine => {
    const fresh = runningLine(request, index, running.id * 100 + ++running.ids);
    const old = before.get(fresh.externalId ?? fresh.itemNumber);
    const picked = old === undefined ? 0 : old.picked + old.before;
    if (picked === 0) return fresh;
    if (!isCarriedOver) return { ...fresh, before: picked, isRenewed: true };
    return { ...fresh, picked, requested: Math.max(picked, fresh.requested), isRenewed: true };
  });
  running.lines.splice(0, running.lines.length, ...lines);
  running.late = null;
}

/** The platform's current model of the order, as contained in every confirm step. */
export const updateModel = ({ id, order, lines }: RunningOrder): UpdateWorkOrderRequest => ({
  id,
  description: order.description ?? null,
  dueDate: order.dueDate,
  customerRequiredDeliveryDate: order.customerRequiredDeliveryDate ?? null,
  itemRequests: lines.map((line) => ({
    requestId: line.requestId,
    itemNumber: line.itemNumber,
    itemName: line.itemName,
    itemUnitOfMeasure: line.unit,
    requestedAmount: line.requested,
    isCancelled: line.isCancelled,
    designatedLocationId: null,
    lotNumber: line.lot,
    type: line.type,
    order: line.order,
    externalIdentifier: line.externalId,
    externalData: line.externalData,
  })),
});

/** Applies an update that is due before the next step. */
export function applyLate(running: RunningOrder): void {
  const { late } = running;
  if (late === null || --late.stepsLeft > 0) return;
  running.late = null;
  applyUpdate(running, late.update);
}

/** Applies the update from a confirm step, as in the contract: cancelled lines end, lower amounts reduce. */
export function applyUpdate(running: RunningOrder, update: UpdateWorkOrderRequest): void {
  for (const changed of update.itemRequests ?? []) {
    const line = running.lines.find(({ requestId }) => requestId === changed.requestId);
    if (line === undefined) continue;
    if (changed.isCancelled === true) line.isCancelled = true;
    const lower = changed.requestedAmount ?? line.requested;
    // Goods in hand stay picked, whatever an adapter requests.
    if (lower < line.requested) line.requested = Math.max(lower, line.picked);
  }
}

const factors: Partial<Record<UnitOfMeasure, number>> = {
  [UnitOfMeasure.Meter]: 1000,
  [UnitOfMeasure.Centimeter]: 10,
  [UnitOfMeasure.Kilogram]: 1000,
  [UnitOfMeasure.Liter]: 1000,
};

/**
 * Number of base units per unit of an order line: a platform counts metres in millimetres, without saying so to
 * adapters.
 */
export const baseUnitsPer = (unit: UnitOfMeasure): number => factors[unit] ?? 1;
