import { UnitOfMeasure } from "../../contract/enums.ts";
import type { PickingSummary } from "../../contract/schemas/confirm-step.ts";
import type { RequestLine, WorkOrder } from "../../contract/schemas/work-order.ts";
import { pick } from "../../kit/sqlite/row.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import {
  type EventSubject,
  type FindSubject,
  type LineView,
  noSubject,
  type OrderView,
} from "../../operation/event-subject.ts";
import { type LedgerLine, roundAmount, takenOf } from "../ledger/ledger-line.ts";
import { openLedgerTable } from "../ledger/ledger-table.ts";
import { filled, lineKey, namesOf } from "../ledger/line-ref.ts";
import { workOrderRow } from "../store-rows.ts";

/** The members that name an event's subject and amount, also in its elements; each may be missing. */
interface EventFields {
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

/**
 * Reads the order and the line of an event on a read-only connection; `elsewhere` finds orders that another system
 * serves.
 */
export function eventSubjects(
  database: Database,
  elsewhere: (orderNumber: string) => WorkOrder | null = () => null,
): FindSubject {
  const isStored = database.statement("SELECT 1 FROM sqlite_schema WHERE name = 'quantity'").get() !== undefined;
  if (!isStored) return () => noSubject;
  const stored = database.query("SELECT json FROM work_order WHERE number = ?", pick(workOrderRow, "json"));
  const ledgerLines = openLedgerTable(database);
  return (input): EventSubject => {
    if (typeof input !== "object" || input === null || Array.isArray(input)) return noSubject;
    // Validated against the schema of its topic when it was accepted.
    const fields = input as EventFields;
    const number = fields.workOrderNumber ?? fields.workOrder?.number ?? fields.number;
    if (typeof number !== "string") return noSubject;
    const row = stored.get(number);
    // The store wrote this text from a WorkOrder.
    const order = row === undefined ? elsewhere(number) : (JSON.parse(row.json) as WorkOrder);
    return {
      order: order === null ? null : withData<OrderView>(order, order.externalData),
      line: lineOf(fields, order?.requests ?? [], ledgerLines.byOrder(number)),
    };
  };
}

function lineOf(
  fields: EventFields,
  requests: readonly RequestLine[],
  ledgerLines: readonly LedgerLine[],
): LineView | null {
  const requestId = fields.requestId ?? fields.request?.requestId ?? null;
  const externalId = filled(fields.requestExternalIdentifier);
  const item = filled(fields.itemNumber ?? fields.request?.itemNumber);
  if (requestId === null && externalId === null && item === null) return null;
  const ledgerLine =
    ledgerLines.find((one) => requestId !== null && one.requestId === requestId) ??
    ledgerLines.find((one) => externalId !== null && one.externalId === externalId) ??
    only(ledgerLines.filter((one) => item !== null && one.itemNumber === item));
  const own = externalId ?? ledgerLine?.externalId ?? null;
  const request =
    requests.find((one) => own !== null && filled(one.requestExternalIdentifier) === own) ??
    requests.find((one) => ledgerLine !== undefined && lineKey(namesOf(one)) === lineKey(ledgerLine)) ??
    only(requests.filter((one) => one.itemNumber === (ledgerLine?.itemNumber ?? item)));
  if (ledgerLine === undefined && request === undefined) return null;
  const names = { itemNumber: ledgerLine?.itemNumber ?? item, requestExternalIdentifier: own };
  return withData<LineView>(
    { ...present(names), ...(request ?? {}), ...amountsOf(fields, ledgerLine, request) },
    request?.requestExternalData,
  );
}

/** Returns the only element. Among several, nobody knows which one is meant. */
const only = <One>(found: readonly One[]): One | undefined => (found.length === 1 ? found[0] : undefined);

/** Leaves out amounts that are not certain. */
function amountsOf(
  fields: EventFields,
  ledgerLine: LedgerLine | undefined,
  request: RequestLine | undefined,
): Partial<LineView> {
  const unit = ledgerLine?.unit ?? request?.unitOfMeasure ?? UnitOfMeasure.Piece;
  const factor = ledgerLine?.factor ?? (unit === UnitOfMeasure.Piece ? 1 : null);
  const isCertain = factor !== null && factor >= 1;
  const own = (base: number | undefined) => (base === undefined || !isCertain ? undefined : roundAmount(base / factor));
  const base = (amount: number | undefined) =>
    amount === undefined || !isCertain ? undefined : roundAmount(amount * factor);
  const confirmed = confirmedBase(fields);
  const placed = fields.completedAmount ?? undefined;
  const taken = ledgerLine === undefined ? undefined : takenOf(ledgerLine);
  const isOwn = ledgerLine?.factor === null;
  return present({
    confirmedAmount: placed ?? own(confirmed),
    confirmedAmountInBaseUnitOfMeasure: confirmed ?? base(placed),
    pickedAmount: isOwn ? taken : own(taken),
    pickedAmountInBaseUnitOfMeasure: isOwn ? base(taken) : taken,
    requestedAmountInBaseUnitOfMeasure: fields.requestAmountInBaseUnitOfMeasure ?? base(request?.requestedAmount),
  });
}

function confirmedBase(fields: EventFields): number | undefined {
  const shares = (fields.amountToConfirmPickingSummary ?? fields.amountToConfirmSummary)?.containersBreakdown;
  const placed = fields.amountToConfirmPlacingInBaseUnitOfMeasure ?? undefined;
  if (shares === undefined || shares === null) return placed;
  return roundAmount(shares.reduce((sum, share) => sum + (share.amountToConfirmInBaseUnitOfMeasure ?? 0), 0));
}

/** The members that have a value. */
type Present<Members> = { [Name in keyof Members]?: NonNullable<Members[Name]> };

function present<Members extends object>(members: Members): Present<Members> {
  const kept = Object.entries(members).filter(([, value]) => value !== undefined && value !== null);
  // Safe: only members without a value were removed.
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
