import { UnitOfMeasure } from "../../contract/enums.ts";
import type { PickingSummary } from "../../contract/schemas/confirm-step.ts";
import type { RequestLine, WorkOrder } from "../../contract/schemas/work-order.ts";
import { pick } from "../../kit/sqlite/row.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import {
  type EventBooks,
  type LineView,
  noBooks,
  type OrderView,
  type ReadBooks,
} from "../../operation/event-books.ts";
import { type LedgerLine, roundAmount, takenOf } from "../ledger/ledger-line.ts";
import { openLedgerTable } from "../ledger/ledger-table.ts";
import { filled, lineKey, namesOf } from "../ledger/line-sight.ts";
import { workOrderRow } from "../store-rows.ts";

/** The members of events, and of their elements, that tell their subject and amount; each may be missing. */
interface Told {
  readonly workOrderNumber?: string | null;
  readonly number?: string | null;
  readonly workOrder?: { readonly number?: string | null } | null;
  readonly requestId?: number | null;
  readonly requestExternalIdentifier?: string | null;
  readonly itemNumber?: string | null;
  readonly request?: { readonly requestId?: number | null; readonly itemNumber?: string | null } | null;
  readonly amountToConfirmPickingSummary?: PickingSummary | null;
  readonly amountToConfirmSummary?: PickingSummary | null;
  readonly amountToConfirmPlacingInBaseUnitOfMeasure?: number | null;
  readonly requestAmountInBaseUnitOfMeasure?: number | null;
  readonly completedAmount?: number | null;
}

/** The order and the line of an event, on a read-only connection; `elsewhere` finds orders that another system serves. */
export function eventBooks(
  database: Database,
  elsewhere: (orderNumber: string) => WorkOrder | null = () => null,
): ReadBooks {
  const isStored = database.statement("SELECT 1 FROM sqlite_schema WHERE name = 'quantity'").get() !== undefined;
  if (!isStored) return () => noBooks;
  const stored = database.query("SELECT json FROM work_order WHERE number = ?", pick(workOrderRow, "json"));
  const accounts = openLedgerTable(database);
  return (input): EventBooks => {
    if (typeof input !== "object" || input === null || Array.isArray(input)) return noBooks;
    // Checked against the schema of its topic when it was accepted.
    const told = input as Told;
    const number = told.workOrderNumber ?? told.workOrder?.number ?? told.number;
    if (typeof number !== "string") return noBooks;
    const row = stored.get(number);
    // The store wrote it from a WorkOrder.
    const order = row === undefined ? elsewhere(number) : (JSON.parse(row.json) as WorkOrder);
    return {
      order: order === null ? null : withData<OrderView>(order, order.externalData),
      line: lineOf(told, order?.requests ?? [], accounts.byOrder(number)),
    };
  };
}

function lineOf(told: Told, requests: readonly RequestLine[], accounts: readonly LedgerLine[]): LineView | null {
  const requestId = told.requestId ?? told.request?.requestId ?? null;
  const externalId = filled(told.requestExternalIdentifier);
  const item = filled(told.itemNumber ?? told.request?.itemNumber);
  if (requestId === null && externalId === null && item === null) return null;
  const account =
    accounts.find((one) => requestId !== null && one.requestId === requestId) ??
    accounts.find((one) => externalId !== null && one.externalId === externalId) ??
    only(accounts.filter((one) => item !== null && one.itemNumber === item));
  const own = externalId ?? account?.externalId ?? null;
  const request =
    requests.find((one) => own !== null && filled(one.requestExternalIdentifier) === own) ??
    requests.find((one) => account !== undefined && lineKey(namesOf(one)) === lineKey(account)) ??
    only(requests.filter((one) => one.itemNumber === (account?.itemNumber ?? item)));
  if (account === undefined && request === undefined) return null;
  const names = { itemNumber: account?.itemNumber ?? item, requestExternalIdentifier: own };
  return withData<LineView>(
    { ...present(names), ...(request ?? {}), ...amountsOf(told, account, request) },
    request?.requestExternalData,
  );
}

/** Of several, nobody knows which one is meant. */
const only = <One>(found: readonly One[]): One | undefined => (found.length === 1 ? found[0] : undefined);

/** Amounts that are not certain are left out. */
function amountsOf(told: Told, account: LedgerLine | undefined, request: RequestLine | undefined): Partial<LineView> {
  const unit = account?.unit ?? request?.unitOfMeasure ?? UnitOfMeasure.Piece;
  const factor = account?.factor ?? (unit === UnitOfMeasure.Piece ? 1 : null);
  const isCertain = factor !== null && factor >= 1;
  const own = (base: number | undefined) => (base === undefined || !isCertain ? undefined : roundAmount(base / factor));
  const base = (amount: number | undefined) =>
    amount === undefined || !isCertain ? undefined : roundAmount(amount * factor);
  const confirmed = confirmedBase(told);
  const placed = told.completedAmount ?? undefined;
  const taken = account === undefined ? undefined : takenOf(account);
  const isOwn = account?.factor === null;
  return present({
    confirmedAmount: placed ?? own(confirmed),
    confirmedAmountInBaseUnitOfMeasure: confirmed ?? base(placed),
    pickedAmount: isOwn ? taken : own(taken),
    pickedAmountInBaseUnitOfMeasure: isOwn ? base(taken) : taken,
    requestedAmountInBaseUnitOfMeasure: told.requestAmountInBaseUnitOfMeasure ?? base(request?.requestedAmount),
  });
}

function confirmedBase(told: Told): number | undefined {
  const shares = (told.amountToConfirmPickingSummary ?? told.amountToConfirmSummary)?.containersBreakdown;
  const placed = told.amountToConfirmPlacingInBaseUnitOfMeasure ?? undefined;
  if (shares === undefined || shares === null) return placed;
  return roundAmount(shares.reduce((sum, share) => sum + (share.amountToConfirmInBaseUnitOfMeasure ?? 0), 0));
}

/** The members that have a value. */
type Present<Members> = { [Name in keyof Members]?: NonNullable<Members[Name]> };

function present<Members extends object>(members: Members): Present<Members> {
  const kept = Object.entries(members).filter(([, value]) => value !== undefined && value !== null);
  // Only members without a value are removed.
  return Object.fromEntries(kept) as Present<Members>;
}

function withData<View extends object>(view: View, text: string | null | undefined): View {
  if (!text?.trimStart().startsWith("{")) return view;
  try {
    return { ...view, data: JSON.parse(text) };
  } catch {
    return view;
  }
}
