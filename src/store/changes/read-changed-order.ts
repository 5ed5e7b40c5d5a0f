import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import { recentValues } from "../../kit/recent-values.ts";
import { pick, row } from "../../kit/sqlite/row.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import type { LedgerLine } from "../ledger/ledger-line.ts";
import { openLedgerTable } from "../ledger/ledger-table.ts";
import { type OrderStore, openOrderStore } from "../order-store.ts";
import { followUpRow } from "../store-rows.ts";
import { type Carrier, type Family, readFamily } from "./family.ts";
import { isPicked, isUnchanged, nothingSaid, type Wanted, wantedByPush } from "./wanted.ts";
import { readWanted, servedContent, type WantedTable } from "./wanted-table.ts";

export interface ChangedOrders {
  /** The order of ours that this number belongs to: a follow-up belongs to the order it follows. */
  readonly rootOf: (orderNumber: string) => string;
  /** An order under change, with its follow-ups and every amount decided; undefined for one that never changed. */
  readonly read: (orderNumber: string) => Family | undefined;
  /** The same also for an order that never changed, where its first push and its contents are kept. */
  readonly readKept: (orderNumber: string) => Family | undefined;
  /** The same for any order that is known here, changed or not: what was decided, and from what. */
  readonly explain: (orderNumber: string) => Family | undefined;
}

/** Reads what is known of changed orders; it writes nothing, so readers can use it too. */
export function openChangedOrders(needs: {
  readonly orders: Pick<OrderStore, "find">;
  readonly accountsOf: (orderNumber: string) => LedgerLine[];
  readonly wanted: Pick<WantedTable, "has" | "find">;
  readonly followUps: Pick<FollowUps, "of" | "rootOf">;
}): ChangedOrders {
  const { orders, accountsOf, wanted, followUps } = needs;

  const carrierOf = (number: string): Carrier => {
    const order = orders.find(number);
    const before = wanted.find(number)?.served ?? [];
    const present = order === undefined ? [] : [servedContent(order.workOrder.requests)];
    return { number, order, accounts: accountsOf(number), served: [...before, ...present] };
  };

  const rootOf = (orderNumber: string) => followUps.rootOf(orderNumber) ?? orderNumber;
  const familyOf = (root: string, said: Wanted) => readFamily(root, said, [root, ...followUps.of(root)].map(carrierOf));
  const readIf = (orderNumber: string, isMeant: (said: Wanted) => boolean) => {
    if (!wanted.has(orderNumber)) return undefined;
    const root = rootOf(orderNumber);
    const kept = wanted.find(root);
    return kept === undefined || !isMeant(kept.wanted) ? undefined : familyOf(root, kept.wanted);
  };
  const readKept = (orderNumber: string) => readIf(orderNumber, () => true);
  return {
    rootOf,
    readKept,
    read: (orderNumber) => readIf(orderNumber, (said) => !isUnchanged(said)),
    explain: (orderNumber) => {
      const kept = readKept(orderNumber);
      if (kept !== undefined) return kept;
      const order = orders.find(orderNumber);
      if (order !== undefined) return familyOf(orderNumber, wantedByPush(order.workOrder));
      return accountsOf(orderNumber).length === 0 ? undefined : familyOf(orderNumber, nothingSaid);
    },
  };
}

/** The same on a connection of its own, which may be read-only. */
export function changedOrdersIn(database: Database): ChangedOrders {
  const orders = openOrderStore(database);
  const find = readWanted(database);
  return openChangedOrders({
    ...{ orders, accountsOf: openLedgerTable(database).byOrder },
    // Another connection writes: nothing can be remembered here.
    wanted: { find, has: (orderNumber) => find(orderNumber) !== undefined },
    followUps: openFollowUps({ database, orders }),
  });
}

const numberRow = pick(followUpRow, "number");
const rootRow = row({ root: followUpRow.columns.order_number });

export interface FollowUps {
  /** The order whose follow-up this is; null for any other order. */
  readonly rootOf: (number: string) => string | null;
  /** The orders that hold what was added to this one, oldest first. */
  readonly of: (orderNumber: string) => readonly string[];
  /** A number for the next one, taken by no other order, and from now on belonging to this one. */
  readonly add: (orderNumber: string) => string;
}

/** A running order gets nothing added: what comes on top waits as an order of its own. */
export function openFollowUps({ database, orders }: { database: Database; orders: OrderStore }): FollowUps {
  const select = database.query("SELECT number FROM follow_up WHERE order_number = ? ORDER BY id", numberRow);
  const root = database.query("SELECT order_number AS root FROM follow_up WHERE number = ?", rootRow);
  const insert = database.statement("INSERT INTO follow_up (order_number, number) VALUES (?, ?)");
  const of = (orderNumber: string) => select.all(orderNumber).map(({ number }) => number);
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

/** More orders than are ever under change at once. */
const rememberedOrders = 10_000;

/** The same, looked up once: each event of a changed order asks several times. Only for whoever writes them. */
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

/** The content of a follow-up order: the lines that were added, with the header data of the order they were added to. */
export function followUpContent(number: string, root: string, content: WorkOrder): WorkOrder {
  const described = content.description ? `: ${content.description}` : "";
  return {
    ...content,
    number,
    description: `Follows ${root}${described}`,
    requests: content.requests.filter(isPicked),
  };
}
