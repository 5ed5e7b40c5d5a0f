import type { ContainerFinished, OrderFinished } from "../../contract/derived-events.ts";
import { UnitOfMeasure } from "../../contract/enums.ts";
import type { RequestLine, WorkOrder } from "../../contract/schemas/work-order.ts";
import { type LedgerLine, placesOf, roundAmount, takenOf } from "../ledger/ledger-line.ts";
import { lineKey, namesOf } from "../ledger/line-ref.ts";
import { fold } from "../order-store.ts";
import type { Share } from "./finish-tables.ts";

type UnitCode = OrderFinished["lines"][number]["unitOfMeasure"];

/** Everything known of an order when the order, or one of its containers, is finished. */
export interface FinishedOrder {
  readonly number: string;
  /** Null for an order that the platform got from elsewhere. */
  readonly workOrder: WorkOrder | null;
  /** Names from the platform's events, for an order that is not stored here. */
  readonly fields: Partial<Pick<WorkOrder, "externalIdentifier" | "externalData" | "workOrderTypeName">>;
  readonly followUpOf: string | null;
  readonly ledgerLines: readonly LedgerLine[];
  readonly shares: readonly Share[];
  /** Including containers that nothing was counted into. */
  readonly containers: readonly string[];
  readonly isCancelled: boolean;
  readonly finishedAt: number;
  readonly userEmail: string | null;
}

/** An amount of a ledger line in both units, as far as they are certain; null otherwise. */
function inBothUnits({ factor, unit }: LedgerLine, amount: number) {
  const isOwn = factor === null;
  const scale = isOwn ? (unit === UnitOfMeasure.Piece ? 1 : null) : factor;
  return {
    own: isOwn ? amount : scale === null || scale < 1 ? null : roundAmount(amount / scale),
    base: isOwn ? (scale === null ? null : amount) : amount,
  };
}

function confirmed(ledgerLine: LedgerLine, amount: number) {
  const { own, base } = inBothUnits(ledgerLine, amount);
  return { confirmedAmount: own, confirmedAmountInBaseUnitOfMeasure: base };
}

function namesOfLine(ledgerLine: LedgerLine, request: RequestLine | undefined) {
  const { externalId, requestId, itemNumber, lot, unit } = ledgerLine;
  return {
    requestExternalIdentifier: externalId,
    requestId,
    itemNumber,
    itemExternalIdentifier: request?.itemExternalIdentifier ?? null,
    lotNumber: lot ?? request?.lotNumber ?? null,
    // It comes from a step or an order that was validated against the enumeration.
    unitOfMeasure: unit as UnitCode,
  };
}

const namesOfOrder = ({ number, workOrder, fields, followUpOf }: FinishedOrder) => ({
  workOrderNumber: number,
  workOrderExternalIdentifier: workOrder?.externalIdentifier ?? fields.externalIdentifier ?? null,
  workOrderExternalData: workOrder?.externalData ?? fields.externalData ?? null,
  workOrderTypeName: workOrder?.workOrderTypeName ?? fields.workOrderTypeName ?? null,
  deliveryNumber: workOrder?.deliveryNumber ?? null,
  followUpOf,
});

const ending = ({ finishedAt, userEmail }: FinishedOrder) => ({
  finishedAt: new Date(finishedAt).toISOString(),
  userEmail,
});

function requestsOf({ workOrder }: FinishedOrder): (ledgerLine: LedgerLine) => RequestLine | undefined {
  const requests = new Map((workOrder?.requests ?? []).map((request) => [lineKey(namesOf(request)), request]));
  return (ledgerLine) => requests.get(lineKey(ledgerLine));
}

/**
 * The amount requested at the end. Short-picked pieces were still requested; what the external system cancelled was
 * not.
 */
const requestedAtLast = ({ requested, cancelled, shortPicked }: LedgerLine): number =>
  roundAmount(requested - Math.max(0, cancelled - shortPicked));

export function orderFinished(order: FinishedOrder): OrderFinished {
  const requestOf = requestsOf(order);
  const lines = order.ledgerLines.map((ledgerLine) => {
    const request = requestOf(ledgerLine);
    const requested = requestedAtLast(ledgerLine);
    return {
      ...namesOfLine(ledgerLine, request),
      requestedAmount: inBothUnits(ledgerLine, requested).own,
      ...confirmed(ledgerLine, takenOf(ledgerLine)),
      isComplete: takenOf(ledgerLine) >= requested,
      requestExternalData: request?.requestExternalData ?? null,
      places: placesOf(ledgerLine.places).map(([location, amount]) => ({
        locationName: location === "" ? null : location,
        ...confirmed(ledgerLine, amount),
      })),
      containers: order.shares
        .filter(({ position }) => position === ledgerLine.position)
        .map(({ code, amount }) => ({ containerCode: code, ...confirmed(ledgerLine, amount) })),
    };
  });
  const isComplete = lines.every((line) => line.isComplete);
  return {
    ...namesOfOrder(order),
    outcome: order.isCancelled ? "cancelled" : isComplete ? "complete" : "short",
    ...ending(order),
    lines,
    containers: [...order.containers],
  };
}

export function containerFinished(
  order: FinishedOrder,
  container: { readonly code: string; readonly destination: string | null; readonly isOrderFinished: boolean },
): ContainerFinished {
  const requestOf = requestsOf(order);
  const byPosition = new Map(order.ledgerLines.map((ledgerLine) => [ledgerLine.position, ledgerLine]));
  return {
    ...namesOfOrder(order),
    containerCode: container.code,
    destinationLocationName: container.destination,
    isOrderFinished: container.isOrderFinished,
    ...ending(order),
    lines: order.shares.flatMap(({ code, position, amount }) => {
      const ledgerLine = byPosition.get(position);
      if (ledgerLine === undefined || fold(code) !== fold(container.code)) return [];
      return [{ ...namesOfLine(ledgerLine, requestOf(ledgerLine)), ...confirmed(ledgerLine, amount) }];
    }),
  };
}
