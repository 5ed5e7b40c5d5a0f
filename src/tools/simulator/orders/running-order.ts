import { RequestType, UnitOfMeasure } from "../../../contract/enums.ts";
import type { UpdateWorkOrderRequest } from "../../../contract/schemas/update-work-order.ts";
import type { RequestLine, WorkOrder } from "../../../contract/schemas/work-order.ts";

/** A line as the platform has it while it is worked on; amounts in base units. */
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
  /** Picked of the same line under other request ids, and not counted in this one. */
  readonly before: number;
  /** Whether the line had another request id before, and something was picked of it. */
  readonly isRenewed: boolean;
  /** Whether a step of this request id was confirmed. */
  isStepped: boolean;
}

export interface RunningOrder {
  readonly id: number;
  readonly order: WorkOrder;
  /** How the platform came by it; what came by a file need not be found by a scan. */
  readonly source: "list" | "file";
  readonly lines: RunningLine[];
  /** How many steps were confirmed. */
  steps: number;
  /** How many request ids were given out. */
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
 * The platform takes over what it has fetched again: every line gets a new request id. What was picked before is either
 * counted in the new line, or stands beside it.
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

/** The platform's current model of the order, as it stands in every confirm step. */
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

/** Before the next step: an update that is due by now. */
export function applyLate(running: RunningOrder): void {
  const { late } = running;
  if (late === null || --late.stepsLeft > 0) return;
  running.late = null;
  applyUpdate(running, late.update);
}

/** Applies what a confirm step returned, at once and as the contract says: cancelled lines end, lower amounts reduce. */
export function applyUpdate(running: RunningOrder, update: UpdateWorkOrderRequest): void {
  for (const changed of update.itemRequests ?? []) {
    const line = running.lines.find(({ requestId }) => requestId === changed.requestId);
    if (line === undefined) continue;
    if (changed.isCancelled === true) line.isCancelled = true;
    const lower = changed.requestedAmount ?? line.requested;
    // Goods in hand stay picked, whatever an adapter asks for.
    if (lower < line.requested) line.requested = Math.max(lower, line.picked);
  }
}

const factors: Partial<Record<UnitOfMeasure, number>> = {
  [UnitOfMeasure.Meter]: 1000,
  [UnitOfMeasure.Centimeter]: 10,
  [UnitOfMeasure.Kilogram]: 1000,
  [UnitOfMeasure.Liter]: 1000,
};

/** How many base units one unit of an order line has: a platform counts metres in millimetres, and tells no adapter so. */
export const baseUnitsPer = (unit: UnitOfMeasure): number => factors[unit] ?? 1;
