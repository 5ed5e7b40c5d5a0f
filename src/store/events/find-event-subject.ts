import { setImmediate as nextTurn } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { UnitOfMeasure } from "../../contract/enums.ts";
import type { PickingSummary } from "../../contract/schemas/confirm-step.ts";
import type { RequestLine, WorkOrder } from "../../contract/schemas/work-order.ts";
import { integer, nullable, row, text } from "../../kit/sqlite/row.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import {
  type EventSubject,
  type FindSubject,
  type LineView,
  noSubject,
  type OrderView,
} from "../../operation/event-subject.ts";
import { Fault } from "../../operation/fault.ts";
import { type LedgerLine, roundAmount, takenOf } from "../ledger/ledger-line.ts";
import { type LinesByName, linesByName } from "../ledger/ledger-table.ts";
import { filled, lineKey, namesOf } from "../ledger/line-ref.ts";
import { type LongTexts, parsedText } from "../long-texts/long-texts.ts";
import { longBytes } from "../queries/listed-orders.ts";

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

/** Reading this many lines takes one or two milliseconds. An event may have thousands of elements, each with an order. */
const linesPerTurn = 500;

/**
 * Reads the order and the line of an event on a read-only connection; `elsewhere` finds orders that another system
 * serves.
 */
export function eventSubjects(
  database: Database,
  longTexts: Pick<LongTexts, "open">,
  elsewhere: (orderNumber: string) => Promise<WorkOrder | null> = async () => null,
): FindSubject {
  const isStored = database.statement("SELECT 1 FROM sqlite_schema WHERE name = 'quantity'").get() !== undefined;
  if (!isStored) return async () => noSubject;
  const stored = database.query(
    // SQLite stores the length before the text, so a long text is not read.
    `SELECT id, CASE WHEN octet_length(json) <= ${longBytes} THEN json END AS json, octet_length(json) AS bytes
     FROM work_order WHERE number = ?`,
    row({ id: integer, json: nullable(text), bytes: integer }),
  );
  const byName = linesByName(database);
  let linesOfTurn = 0;

  /**
   * A long order is read later than its ledger line, and a push may replace both meanwhile. They are read again then:
   * the factor of the one and the amount of the other would give an amount that never was.
   */
  const ofOneState = async (
    number: string,
    readLine: () => LedgerLine | undefined,
  ): Promise<{ readonly order: WorkOrder | null; readonly ledgerLine: LedgerLine | undefined }> => {
    const found = stored.get(number);
    const ledgerLine = readLine();
    if (found === undefined) return { order: await elsewhere(number), ledgerLine };
    const { id, json, bytes } = found;
    // The store wrote the text from an order.
    if (json !== null) return { order: JSON.parse(json) as WorkOrder, ledgerLine };
    const long = await longTexts.open({ order: id, must: null, bytes }).catch(onlyBusy);
    // As above.
    const order = (long === undefined ? null : ((await parsedText(long)) ?? null)) as WorkOrder | null;
    return isDeepStrictEqual(readLine(), ledgerLine) ? { order, ledgerLine } : await ofOneState(number, readLine);
  };

  return async (input): Promise<EventSubject> => {
    if (typeof input !== "object" || input === null || Array.isArray(input)) return noSubject;
    // Validated against the schema of its topic when it was accepted.
    const fields = input as EventFields;
    const number = fields.workOrderNumber ?? fields.workOrder?.number ?? fields.number;
    if (typeof number !== "string") return noSubject;
    const names = namesIn(fields);
    const { order, ledgerLine } = await ofOneState(number, () => ledgerLineOf(byName, number, names));
    linesOfTurn += 1 + (order?.requests.length ?? 0);
    if (linesOfTurn > linesPerTurn) {
      linesOfTurn = 0;
      await nextTurn();
    }
    return {
      order: order === null ? null : withData<OrderView>(order, order.externalData),
      line: lineOf(fields, names, order?.requests ?? [], ledgerLine),
    };
  };
}

/** Too many long texts are being read here. That is no trouble of the system to which the event is sent. */
function onlyBusy(error: unknown): never {
  if (!(error instanceof Fault)) throw error;
  const { kind, message, operatorText } = error;
  const optionalText = operatorText === undefined ? {} : { operatorText };
  throw new Fault(kind, message, { ...optionalText, answer: { isBusy: true }, cause: error });
}

/** The names by which an event tells its line. */
interface Names {
  readonly requestId: number | null;
  readonly externalId: string | null;
  readonly item: string | null;
}

const namesIn = (fields: EventFields): Names => ({
  // An element that a connector's expression has made may hold anything.
  requestId: numberOr(fields.requestId ?? fields.request?.requestId),
  externalId: filled(fields.requestExternalIdentifier),
  item: filled(fields.itemNumber ?? fields.request?.itemNumber),
});

const numberOr = (value: unknown): number | null => (typeof value === "number" ? value : null);

/** Asked for one name after the other: an order may have thousands of ledger lines. */
function ledgerLineOf(
  byName: LinesByName,
  order: string,
  { requestId, externalId, item }: Names,
): LedgerLine | undefined {
  return (
    (requestId === null ? undefined : byName(order, "requestId", requestId)[0]) ??
    (externalId === null ? undefined : byName(order, "externalId", externalId)[0]) ??
    (item === null ? undefined : only(byName(order, "itemNumber", item)))
  );
}

function lineOf(
  fields: EventFields,
  { requestId, externalId, item }: Names,
  requests: readonly RequestLine[],
  ledgerLine: LedgerLine | undefined,
): LineView | null {
  if (requestId === null && externalId === null && item === null) return null;
  const own = externalId ?? ledgerLine?.externalId ?? null;
  const key = ledgerLine === undefined ? null : lineKey(ledgerLine);
  const request =
    requests.find((one) => own !== null && filled(one.requestExternalIdentifier) === own) ??
    requests.find((one) => key !== null && lineKey(namesOf(one)) === key) ??
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
