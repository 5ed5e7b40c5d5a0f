import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import { recentValues } from "../../kit/recent-values.ts";
import { pick, row } from "../../kit/sqlite/row.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import type { LedgerLine } from "../ledger/ledger-line.ts";
import { openLedgerTable } from "../ledger/ledger-table.ts";
import { type OrderStore, openOrderStore } from "../order-store.ts";
import { followUpRow } from "../store-rows.ts";
import type { MemberOrder } from "./group/member-order.ts";
import { type GroupOf, readAnew } from "./group/remember-groups.ts";
import type { OrderGroup } from "./order-group.ts";
import type { ServedContent } from "./served/served-content.ts";
import { withPresent } from "./served/served-lines.ts";
import { isPicked, isUnchanged, neverPushed, type Wanted, wantedByPush } from "./wanted.ts";
import { readWanted, type WantedTable } from "./wanted-table.ts";

export interface ChangedOrders {
  /** The original order of this number: for a follow-up order, the order it follows; otherwise the number itself. */
  readonly rootOf: (orderNumber: string) => string;
  /** A changed order with its follow-up orders and every amount decided; undefined when it has no change. */
  readonly read: (orderNumber: string) => OrderGroup | undefined;
  /** Like read, but also for an order without a change whose first push is stored. */
  readonly readKept: (orderNumber: string) => OrderGroup | undefined;
  /** Like read, but for any order known here, changed or not: what was decided, and from which facts. */
  readonly explain: (orderNumber: string) => OrderGroup | undefined;
}

/** Reads what is known of changed orders. It writes nothing, so it also works on read-only connections. */
export function openChangedOrders(needs: {
  readonly orders: Pick<OrderStore, "find">;
  readonly ledgerLinesOf: (orderNumber: string) => readonly LedgerLine[];
  readonly wanted: Pick<WantedTable, "has" | "find">;
  readonly followUps: Pick<FollowUps, "of" | "rootOf">;
  /** Absent: every group is read anew. */
  readonly remembered?: GroupOf;
}): ChangedOrders {
  const { orders, ledgerLinesOf, wanted, followUps, remembered = readAnew } = needs;

  const memberOf = (number: string, before?: MemberOrder): MemberOrder => {
    const order = orders.find(number);
    const earlier = wanted.find(number)?.served ?? nothingServed;
    const ledgerLines = ledgerLinesOf(number);
    const isServedAlike =
      before !== undefined &&
      servedBefore.get(before.served) === earlier &&
      before.order?.workOrder === order?.workOrder;
    if (isServedAlike && before.ledgerLines === ledgerLines && isStateAlike(before.order, order)) return before;
    const served = isServedAlike ? before.served : withPresent(earlier, order?.workOrder);
    servedBefore.set(served, earlier);
    return { number, order, ledgerLines, served };
  };

  const rootOf = (orderNumber: string) => followUps.rootOf(orderNumber) ?? orderNumber;
  const groupOf = (root: string, latest: Wanted, of: GroupOf = remembered) =>
    of(root, latest, [root, ...followUps.of(root)], memberOf);
  const readIf = (orderNumber: string, isMeant: (latest: Wanted) => boolean) => {
    if (!wanted.has(orderNumber)) return undefined;
    const root = rootOf(orderNumber);
    const kept = wanted.find(root);
    return kept === undefined || !isMeant(kept.wanted) ? undefined : groupOf(root, kept.wanted);
  };
  const readKept = (orderNumber: string) => readIf(orderNumber, () => true);
  return {
    rootOf,
    readKept,
    read: (orderNumber) => readIf(orderNumber, (latest) => !isUnchanged(latest)),
    explain: (orderNumber) => {
      const kept = readKept(orderNumber);
      if (kept !== undefined) return kept;
      const order = orders.find(orderNumber);
      if (order !== undefined) return groupOf(orderNumber, wantedByPush(order.workOrder), readAnew);
      return ledgerLinesOf(orderNumber).length === 0 ? undefined : groupOf(orderNumber, neverPushed, readAnew);
    },
  };
}

const nothingServed: readonly ServedContent[] = [];
/** The contents that the served ones of a member began with. */
const servedBefore = new WeakMap<readonly ServedContent[], readonly ServedContent[]>();

const isStateAlike = (was: MemberOrder["order"], is: MemberOrder["order"]): boolean =>
  was?.id === is?.id && was?.state === is?.state && was?.worked === is?.worked;

/** Reads changed orders on a connection of its own, which may be read-only. */
export function changedOrdersIn(database: Database): ChangedOrders {
  const orders = openOrderStore(database);
  const find = readWanted(database);
  return openChangedOrders({
    ...{ orders, ledgerLinesOf: openLedgerTable(database).byOrder },
    // Another connection writes these tables: nothing can be cached here.
    wanted: { find, has: (orderNumber) => find(orderNumber) !== undefined },
    followUps: openFollowUps({ database, orders }),
  });
}

const numberRow = pick(followUpRow, "number");
const rootRow = row({ root: followUpRow.columns.order_number });

export interface FollowUps {
  /** The order that this follow-up order belongs to; null when it is not a follow-up order. */
  readonly rootOf: (number: string) => string | null;
  /** The follow-up orders of an order, oldest first. */
  readonly of: (orderNumber: string) => readonly string[];
  /** Reserves a number for the next follow-up order. No other order has that number. */
  readonly add: (orderNumber: string) => string;
}

/** Reads the follow-up orders of an order, oldest first. */
export function followUpsOf(database: Database): FollowUps["of"] {
  const select = database.query("SELECT number FROM follow_up WHERE order_number = ? ORDER BY id", numberRow);
  return (orderNumber) => select.all(orderNumber).map(({ number }) => number);
}

/** Nothing is added to a running order: what comes on top waits as a follow-up order. */
export function openFollowUps({ database, orders }: { database: Database; orders: OrderStore }): FollowUps {
  const root = database.query("SELECT order_number AS root FROM follow_up WHERE number = ?", rootRow);
  const insert = database.statement("INSERT INTO follow_up (order_number, number) VALUES (?, ?)");
  const of = followUpsOf(database);
  return {
    rootOf: (number) => root.get(number)?.root ?? null,
    of,
    add: (orderNumber) => {
      for (let position = of(orderNumber).length + 1; ; position++) {
        const number = `${orderNumber}-F${position}`;
        if (orders.isKnown(number)) continue;
        insert.run(orderNumber, number);
        return number;
      }
    },
  };
}

/** More orders than ever have changes at the same time. */
const rememberedOrders = 10_000;

/**
 * Follow-up orders with a cache, because each event of a changed order asks several times. Only for the connection that
 * writes them.
 */
export function rememberFollowUps(followUps: FollowUps): FollowUps & { readonly forget: () => void } {
  const roots = recentValues<{ readonly root: string | null }>(rememberedOrders);
  const numbers = recentValues<readonly string[]>(rememberedOrders);
  return {
    rootOf: (number) => {
      const known = roots.get(number) ?? { root: followUps.rootOf(number) };
      roots.set(number, known);
      return known.root;
    },
    of: (orderNumber) => {
      const known = numbers.get(orderNumber) ?? followUps.of(orderNumber);
      numbers.set(orderNumber, known);
      return known;
    },
    add: (orderNumber) => {
      const number = followUps.add(orderNumber);
      numbers.delete(orderNumber);
      roots.delete(number);
      return number;
    },
    forget: () => {
      roots.clear();
      numbers.clear();
    },
  };
}

/** The content of a follow-up order: the added lines, with the header data of the original order. */
export function followUpContent(number: string, root: string, content: WorkOrder): WorkOrder {
  const described = content.description ? `: ${content.description}` : "";
  return {
    ...content,
    number,
    description: `Follows ${root}${described}`,
    requests: content.requests.filter(isPicked),
  };
}
