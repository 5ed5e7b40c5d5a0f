import type { PushedCancellation } from "../../contract/pushes.ts";
import type { UpdateWorkOrderRequest } from "../../contract/schemas/confirm-step.ts";
import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import type { ProjectionEntry } from "../../journal/inline-projection.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import { lineKey } from "../ledger/line-sight.ts";
import { largestLines } from "../ledger/new-account.ts";
import type { Ledger } from "../ledger/open-ledger.ts";
import type { OrderStore } from "../order-store.ts";
import { carrierIndex, type Family } from "./family.ts";
import type { ChangeNeeds } from "./filing/change-needs.ts";
import { openChangeTable } from "./filing/change-table.ts";
import { fileCancellation, filePush, keepFirstPush, takeLastModel } from "./filing/file-change.ts";
import { settleByTime, settleFamily } from "./filing/settle-family.ts";
import { cutIn, total } from "./line-amounts.ts";
import type { BookedStep } from "./offers/count-together.ts";
import { openLastModels, openStepAmounts } from "./offers/step-amounts.ts";
import { type Offer, takeModel } from "./offers/take-model.ts";
import { openToldAside, type ToldAside } from "./offers/told-aside.ts";
import { openChangedOrders, openFollowUps, rememberFollowUps } from "./read-changed-order.ts";
import type { WantedTable } from "./wanted-table.ts";

/** Changes pushed while an order waits, is being picked, or was. */
export interface Changes {
  /** A pushed cancellation or reduction. */
  readonly file: (cancellation: PushedCancellation, entry: ProjectionEntry) => void;
  /** An order pushed again, or one that the floor has worked on before it was pushed. */
  readonly push: (workOrder: WorkOrder, entry: ProjectionEntry, how?: { readonly isFirst: boolean }) => void;
  /** Takes in the model a confirm step brought, and says what it is to be answered. */
  readonly offer: (
    orderNumber: string,
    model: UpdateWorkOrderRequest | null | undefined,
    entry: ProjectionEntry,
    step: BookedStep,
  ) => Offer;
  /** Before the floor gives up a part of an order: from then on its content is what is left, and its first push is kept. */
  readonly keepFirstPush: (orderNumber: string) => void;
  /** Before an order ends: what the platform showed last while it was not under change is booked. */
  readonly takeShown: (orderNumber: string) => void;
  /**
   * Before the accounts of an order are forgotten that was given back: what the floor cut short of its lines is kept with
   * what is wanted, and what the platform showed of it says nothing any more.
   */
  readonly giveBack: (orderNumber: string) => void;
  /** After anything was booked for the order: its content, its follow-ups, its end and its receipts follow. */
  readonly settle: (orderNumber: string, entry: ProjectionEntry) => void;
  /** The order with every amount decided; undefined for one that never changed. */
  readonly read: (orderNumber: string) => Family | undefined;
  /** The same also for an order that never changed, once its first push is kept. */
  readonly readKept: (orderNumber: string) => Family | undefined;
  /** The same for any order that is known here. */
  readonly explain: (orderNumber: string) => Family | undefined;
  /** What operators were told to put aside. */
  readonly toldAside: ToldAside;
  /** Tells what is known by silence: changes nobody asked about, offers nobody answered. */
  readonly settleByTime: (limits: { untouchedBefore: number; silentBefore: number }, entry: ProjectionEntry) => void;
  /** Whether a receipt may have become due since this was last asked. */
  readonly takeChanged: () => boolean;
  /** Before the first amount at a put wall: it may hold whatever was served, and will never show it. */
  readonly beginAtPutWall: (orderNumber: string) => void;
  /** After a rollback. */
  readonly forget: () => void;
}

export function openChanges(given: {
  readonly database: Database;
  readonly orders: OrderStore;
  readonly ledger: Ledger;
  readonly wanted: WantedTable;
}): Changes {
  const { database, orders, ledger, wanted } = given;
  const table = openChangeTable(database);
  const models = openLastModels(database);
  const toldAside = openToldAside(database);
  const followUps = rememberFollowUps(openFollowUps({ database, orders }));
  const changed = openChangedOrders({ orders, wanted, followUps, accountsOf: ledger.accountsOf });
  const needs: ChangeNeeds = {
    orders,
    ledger,
    wanted,
    table,
    followUps,
    changed,
    steps: openStepAmounts(database),
    models,
  };

  return {
    file: (cancellation, entry) => fileCancellation(needs, cancellation, entry),
    push: (workOrder, entry, how) => filePush(needs, workOrder, entry, how),
    offer: (orderNumber, model, entry, step) => takeModel(needs, orderNumber, model, entry, step),
    keepFirstPush: (orderNumber) => {
      if (orders.stateOf(orderNumber) === undefined) return;
      keepFirstPush(needs, changed.rootOf(orderNumber));
      // What the platform has shown so far it had fetched before: looked at later, it would be held against the new content.
      takeLastModel(needs, orderNumber);
    },
    takeShown: (orderNumber) => takeLastModel(needs, orderNumber),
    giveBack: (orderNumber) => {
      keepCuts(needs, orderNumber);
      models.take(orderNumber);
    },
    settle: (orderNumber, entry) => settleFamily(needs, orderNumber, entry),
    read: changed.read,
    readKept: changed.readKept,
    explain: changed.explain,
    toldAside: {
      of: toldAside.of,
      keep: (orderNumber, itemNumber, amount) => {
        toldAside.keep(orderNumber, itemNumber, amount);
        // A scan tells what nobody was told yet.
        orders.touch();
      },
    },
    settleByTime: (limits, entry) => settleByTime(needs, limits, entry),
    takeChanged: table.takeChanged,
    beginAtPutWall: (orderNumber) => beginAtPutWall(needs, orderNumber),
    forget: () => {
      models.forget();
      followUps.forget();
    },
  };
}

/**
 * A put wall shows no amounts. Lines that an earlier content had and the present one has not may be in the wall's order all
 * the same: they get accounts with nothing asked for, so that what was served of them counts.
 */
function beginAtPutWall({ ledger, changed }: ChangeNeeds, orderNumber: string): void {
  const family = changed.read(orderNumber);
  const carrier = family?.carriers.find(({ number }) => number === orderNumber);
  if (carrier === undefined || carrier.accounts.length > 0) return;
  const known = new Set(ledger.linesOf(orderNumber).map(lineKey));
  const gone = largestLines(carrier.served).filter((line) => !known.has(lineKey(line)));
  for (const line of gone) ledger.addUnasked(orderNumber, line);
}

/** In the line's own unit, since the next fetch may show another one. */
function keepCuts({ changed, wanted }: ChangeNeeds, orderNumber: string): void {
  const family = changed.readKept(orderNumber);
  const kept = family === undefined ? undefined : wanted.find(family.root);
  if (family === undefined || kept === undefined) return;
  const index = carrierIndex(family, orderNumber);
  const cuts = new Map(family.lines.map((line) => [line.key, cutIn(line, index)]));
  if ([...cuts.values()].every((cut) => cut === 0)) return;
  const lines = kept.wanted.lines.map((line) => {
    const cut = total([line.cut ?? 0, cuts.get(lineKey(line)) ?? 0]);
    return cut === 0 ? line : { ...line, cut };
  });
  wanted.save(family.root, { ...kept, wanted: { ...kept.wanted, lines } });
}
