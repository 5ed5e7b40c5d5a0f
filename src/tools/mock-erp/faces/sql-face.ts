import { markTable, NoSqlStore, type SqlStore, tablesOf } from "../sql-store.ts";
import {
  type Booking,
  type ErpCancellation,
  type ErpItem,
  type ErpOrder,
  isClosed,
  picture,
} from "../state/erp-records.ts";
import type { ErpState } from "../state/erp-state.ts";
import { readDocument, readEvent } from "../state/read-event.ts";

export interface SqlFace {
  /** Processes events that the adapter has written, and writes changes. */
  readonly tick: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const eventsPerTick = 500;

/** The ERP's tables in a database: filled at the start, kept up to date, and read for the adapter's events. */
export async function openSqlFace({
  store,
  erp,
  now,
}: {
  store: SqlStore;
  erp: ErpState;
  now: () => number;
}): Promise<SqlFace> {
  await makeTables(store);
  const orders = new Set<ErpOrder>(erp.orders.values());
  const items = new Set<ErpItem>(erp.items.values());
  const cancellations: ErpCancellation[] = [];
  erp.onChange((change) => {
    if ("order" in change) orders.add(change.order);
    else if ("item" in change) items.add(change.item);
    else cancellations.push(change.cancellation);
  });

  const take = async () => {
    const rows = await store.all(
      `SELECT id, entry_id, what, order_number, line, item, qty, tote, place, note FROM events WHERE booked_at IS NULL ORDER BY id LIMIT ${eventsPerTick}`,
    );
    for (const row of rows) {
      const bookings = bookingsOf(row);
      // One change per row. A row has its own id, and the adapter's mark prevents that it is written twice.
      const refusal = erp.book({ id: `row ${row["id"]}`, topic: String(row["what"]), bookings });
      await store.run("UPDATE events SET booked_at = ?, refusal = ? WHERE id = ?", [
        ...[new Date(now()).toISOString(), refusal?.message ?? null, Number(row["id"])],
      ]);
    }
  };
  const write = async () => {
    for (const item of takeAll(items)) await upsertItem(store, item);
    for (const order of takeAll(orders)) await upsertOrder(store, order);
    for (const { order, line, reason, changedAt } of cancellations.splice(0)) {
      const sql = "INSERT INTO cancellations (order_number, line, reason, changed_at) VALUES (?, ?, ?, ?)";
      await store.run(sql, [order, line, reason, changedAt]);
    }
  };
  const tick = async () => {
    if (!(await store.begin())) return;
    try {
      await take();
      await write();
      await store.run("COMMIT");
    } catch (error) {
      // A failed rollback is ignored: the cause is thrown below, and the database rolls back a lost connection itself.
      await store.run("ROLLBACK").catch(() => {});
      // Orders removed from the lists are not in the tables, so everything is written again.
      for (const order of erp.orders.values()) orders.add(order);
      for (const item of erp.items.values()) items.add(item);
      throw error;
    }
  };
  await tick();
  return { tick, close: () => store.close() };
}

async function makeTables(store: SqlStore): Promise<void> {
  const tables = Object.entries(tablesOf(store));
  const isThere = (name: string) =>
    store.all(`SELECT 1 FROM ${name} WHERE 1 = 0`).then(
      () => true,
      () => false,
    );
  if (!(await isThere(markTable))) {
    for (const [name] of tables) {
      if (!(await isThere(name))) continue;
      // The tables may belong to another application, so they are not touched.
      throw new NoSqlStore(`this database has a table ${name} that is not ours; give an empty database`);
    }
  }
  for (const [name, columns] of tables) {
    await store.run(`CREATE TABLE IF NOT EXISTS ${name} (${columns})`);
    // A new start is a new ERP. Marks are kept, so that the adapter's repeats are still recognised.
    if (name !== "crossdock_delivered") await store.run(`DELETE FROM ${name}`);
  }
}

async function upsertItem(store: SqlStore, { number, name, grams, bin, stock, hasPicture }: ErpItem): Promise<void> {
  const isKnown = (await store.all("SELECT 1 FROM items WHERE number = ?", [number])).length > 0;
  if (isKnown) await store.run("UPDATE items SET stock = ? WHERE number = ?", [stock, number]);
  else {
    const sql = "INSERT INTO items (number, name, grams, bin, stock, picture) VALUES (?, ?, ?, ?, ?, ?)";
    await store.run(sql, [number, name, grams, bin, stock, hasPicture ? picture(number) : null]);
  }
}

async function upsertOrder(store: SqlStore, order: ErpOrder): Promise<void> {
  const { number, customer, due, warehouse, wave, state, changedAt, lines } = order;
  await store.run("DELETE FROM order_lines WHERE order_number = ?", [number]);
  await store.run("DELETE FROM orders WHERE number = ?", [number]);
  await store.run(
    "INSERT INTO orders (number, customer, city, due, warehouse, wave, state, changed_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    [number, customer.name, customer.city, due, warehouse, wave, state, changedAt],
  );
  // The next order may use its totes.
  if (isClosed(order)) await store.run("DELETE FROM totes WHERE order_number = ?", [number]);
  for (const { line, item, qty, picked, isCancelled } of lines) {
    await store.run(
      "INSERT INTO order_lines (order_number, line, item, qty, picked, is_cancelled) VALUES (?, ?, ?, ?, ?, ?)",
      [number, line, item, qty, picked, isCancelled ? 1 : 0],
    );
  }
}

/** Reads a row in the ERP's own format; a `status` is a number of the platform. Any other row is only recorded. */
function bookingsOf(row: Readonly<Record<string, unknown>>): readonly Booking[] {
  const { order_number: order, qty, note, ...own } = row;
  if (row["what"] === "status") return readEvent("changeStatus", { number: order, status: Number(note) }) ?? [];
  const noted = { what: "note", order, note: `${row["what"]}: ${note ?? ""}` };
  const amount = qty === null ? null : Number(qty);
  return readDocument({ ...own, order, note, qty: amount }) ?? readDocument(noted) ?? [];
}

function takeAll<Element>(set: Set<Element>): Element[] {
  const all = [...set];
  set.clear();
  return all;
}
