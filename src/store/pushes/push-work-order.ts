import { isDeepStrictEqual } from "node:util";
import { UnitOfMeasure } from "../../contract/enums.ts";
import type { PushedIndexableValue, PushedItem, PushedStock } from "../../contract/pushes.ts";
import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import type { ProjectionEntry } from "../../journal/inline-projection.ts";
import { decodeBase64 } from "../../kit/base64.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import { type DateSettings, readDateTime } from "../../operation/dates.ts";
import { Fault } from "../../operation/fault.ts";
import { imageKind } from "../../operation/outcome.ts";
import type { Changes } from "../changes/open-changes.ts";
import { fold, type OrderState, type OrderStore } from "../order-store.ts";

/**
 * Applies an order as the external system now wants it. At its first push it is offered, unless the floor worked on it
 * before. A later push changes what is wanted; an equal push changes nothing.
 */
export function pushWorkOrder(needs: {
  readonly orders: OrderStore;
  readonly changes: Pick<Changes, "push" | "readKept">;
  /** The state of an order that the floor worked on before its first push; undefined without a sign of work. */
  readonly workedBefore: (number: string) => OrderState | undefined;
}): (workOrder: WorkOrder, entry: ProjectionEntry) => void {
  const { orders, changes, workedBefore } = needs;
  return (workOrder, entry) => {
    const { number } = workOrder;
    const stored = orders.find(number);
    // The stored content may be less than what was pushed. Then only the kept push tells what is new.
    const isKept = changes.readKept(number) !== undefined;
    if (stored !== undefined) {
      if (isKept || !isDeepStrictEqual(stored.workOrder, workOrder)) changes.push(workOrder, entry);
      return;
    }
    orders.insert(workOrder, entry.receivedAt);
    const state = workedBefore(number);
    if (state !== undefined) orders.recordWork(number);
    if (state === "finished" || state === "cancelled") orders.setState(number, state);
    // The first push replaces earlier changes, and what was picked before counts.
    if (isKept || state !== undefined) changes.push(workOrder, entry, { isFirst: true });
  };
}

/** Stores an item; returns whether that changed it. An item pushed again without an image keeps the one it has. */
export function pushItem(database: Database): (pushed: PushedItem) => boolean {
  const upsert = database.statement(
    `INSERT INTO item (number, folded, json) VALUES (?, ?, ?)
     ON CONFLICT (number) DO UPDATE SET json = excluded.json WHERE json <> excluded.json`,
  );
  const upsertImage = database.statement(
    `INSERT INTO item_image (number, mime, bytes) VALUES (?, ?, ?)
     ON CONFLICT (number) DO UPDATE SET mime = excluded.mime, bytes = excluded.bytes`,
  );
  return (pushed) => {
    const { image, ...item } = pushed;
    const changed = upsert.run(item.number, fold(item.number), itemText(item)).changes > 0;
    if (image !== null && image !== undefined) {
      const bytes = decodeBase64(image);
      const kind = bytes === null ? null : imageKind(bytes);
      // Bad images are refused before they are stored; this would be our own mistake.
      if (bytes === null || kind === null) throw new Fault("invalid", `the image of item ${item.number} is no image`);
      upsertImage.run(item.number, `image/${kind}`, bytes);
    }
    return changed;
  };
}

/** The item as the platform gets it: the unit is always written, nulls are left out, unknown members are kept. */
function itemText(item: Omit<PushedItem, "image">): string {
  const written = Object.entries(item).filter(([, value]) => value !== null);
  return JSON.stringify({ unitOfMeasure: UnitOfMeasure.Piece, ...Object.fromEntries(written) });
}

/** Stores an absolute stock level. Counts may arrive out of order: the newest count wins. */
export function pushStock(needs: {
  readonly database: Database;
  readonly dates: DateSettings;
}): (stock: PushedStock, entry: ProjectionEntry) => void {
  const upsert = needs.database.statement(
    `INSERT INTO stock (item_number, location_name, lot_number, amount, as_of) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (item_number, location_name, lot_number)
     DO UPDATE SET amount = excluded.amount, as_of = excluded.as_of WHERE excluded.as_of >= as_of`,
  );
  return (stock, entry) => {
    const countedAt = stock.asOf === null || stock.asOf === undefined ? null : readDateTime(stock.asOf, needs.dates);
    const asOf = countedAt === null ? entry.receivedAt : Date.parse(countedAt);
    upsert.run(stock.itemNumber, stock.locationName ?? "", stock.lotNumber ?? "", stock.amount, asOf);
  };
}

/** Stores the external system's indexable value of an order, whether the order is known yet or not. */
export function pushIndexableValue(database: Database): (pushed: PushedIndexableValue) => void {
  const upsert = database.statement(
    "INSERT INTO indexable_value (number, value) VALUES (?, ?) ON CONFLICT (number) DO UPDATE SET value = excluded.value",
  );
  const remove = database.statement("DELETE FROM indexable_value WHERE number = ?");
  return ({ workOrderNumber, value }) => {
    if (value === null || value === "") remove.run(workOrderNumber);
    else upsert.run(workOrderNumber, value);
  };
}
