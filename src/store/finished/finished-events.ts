import type { ContainerFinished, OrderFinished } from "../../contract/derived-events.ts";
import { UnitOfMeasure } from "../../contract/enums.ts";
import type { RequestLine, WorkOrder } from "../../contract/schemas/work-order.ts";
import { type LedgerLine, placesOf, roundAmount, takenOf } from "../ledger/ledger-line.ts";
import { lineKey, namesOf } from "../ledger/line-sight.ts";
import { fold } from "../order-store.ts";
import type { Share } from "./finish-tables.ts";

type UnitCode = OrderFinished["lines"][number]["unitOfMeasure"];

/** Everything that is known of an order when it, or one of its containers, is finished. */
export interface FinishedOrder {
  readonly number: string;
  /** Null for an order that the platform has from elsewhere. */
  readonly workOrder: WorkOrder | null;
  /** Names of such an order, as the platform's events have them. */
  readonly told: Partial<Pick<WorkOrder, "externalIdentifier" | "externalData" | "workOrderTypeName">>;
  readonly followUpOf: string | null;
  readonly accounts: readonly LedgerLine[];
  readonly shares: readonly Share[];
  /** Including those that nothing was counted into. */
  readonly containers: readonly string[];
  readonly isCancelled: boolean;
  readonly finishedAt: number;
  readonly userEmail: string | null;
}

/** An amount of an account, in both units as far as they are certain. */
function inBothUnits({ factor, unit }: LedgerLine, amount: number) {
  const isOwn = factor === null;
  const scale = isOwn ? (unit === UnitOfMeasure.Piece ? 1 : null) : factor;
  return {
    own: isOwn ? amount : scale === null || scale < 1 ? null : roundAmount(amount / scale),
    base: isOwn ? (scale === null ? null : amount) : amount,
  };
}

function confirmed(account: LedgerLine, amount: number) {
  const { own, base } = inBothUnits(account, amount);
  return { confirmedAmount: own, confirmedAmountInBaseUnitOfMeasure: base };
}

function namesOfLine(account: LedgerLine, request: RequestLine | undefined) {
  const { externalId, requestId, itemNumber, lot, unit } = account;
  return {
    requestExternalIdentifier: externalId,
    requestId,
    itemNumber,
    itemExternalIdentifier: request?.itemExternalIdentifier ?? null,
    lotNumber: lot ?? request?.lotNumber ?? null,
    // Stored from a step or an order that was checked against the enumeration.
    unitOfMeasure: unit as UnitCode,
  };
}

const namesOfOrder = ({ number, workOrder, told, followUpOf }: FinishedOrder) => ({
  workOrderNumber: number,
  workOrderExternalIdentifier: workOrder?.externalIdentifier ?? told.externalIdentifier ?? null,
  workOrderExternalData: workOrder?.externalData ?? told.externalData ?? null,
  workOrderTypeName: workOrder?.workOrderTypeName ?? told.workOrderTypeName ?? null,
  deliveryNumber: workOrder?.deliveryNumber ?? null,
  followUpOf,
});

const ending = ({ finishedAt, userEmail }: FinishedOrder) => ({
  finishedAt: new Date(finishedAt).toISOString(),
  userEmail,
});

function requestsOf({ workOrder }: FinishedOrder): (account: LedgerLine) => RequestLine | undefined {
  const requests = new Map((workOrder?.requests ?? []).map((request) => [lineKey(namesOf(request)), request]));
  return (account) => requests.get(lineKey(account));
}

/** What the floor cut short was requested all the same; what the external system cancelled was not. */
const requestedAtLast = ({ requested, cancelled, cut }: LedgerLine): number =>
  roundAmount(requested - Math.max(0, cancelled - cut));

export function orderFinished(order: FinishedOrder): OrderFinished {
  const requestOf = requestsOf(order);
  const lines = order.accounts.map((account) => {
    const request = requestOf(account);
    const requested = requestedAtLast(account);
    return {
      ...namesOfLine(account, request),
      requestedAmount: inBothUnits(account, requested).own,
      ...confirmed(account, takenOf(account)),
      isComplete: takenOf(account) >= requested,
      requestExternalData: request?.requestExternalData ?? null,
      places: placesOf(account.places).map(([location, amount]) => ({
        locationName: location === "" ? null : location,
        ...confirmed(account, amount),
      })),
      containers: order.shares
        .filter(({ position }) => position === account.position)
        .map(({ code, amount }) => ({ containerCode: code, ...confirmed(account, amount) })),
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
  const byPosition = new Map(order.accounts.map((account) => [account.position, account]));
  return {
    ...namesOfOrder(order),
    containerCode: container.code,
    destinationLocationName: container.destination,
    isOrderFinished: container.isOrderFinished,
    ...ending(order),
    lines: order.shares.flatMap(({ code, position, amount }) => {
      const account = byPosition.get(position);
      if (account === undefined || fold(code) !== fold(container.code)) return [];
      return [{ ...namesOfLine(account, requestOf(account)), ...confirmed(account, amount) }];
    }),
  };
}
