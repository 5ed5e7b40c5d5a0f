import { mkdir, readdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ErpBooks } from "../books/erp-books.ts";
import type { ErpCancellation, ErpItem, ErpOrder } from "../books/erp-records.ts";
import { readEvent } from "../books/read-event.ts";
import { picture } from "../picture.ts";

export interface FileFace {
  /** Drops what is new, and books the event files that came. */
  readonly tick: () => Promise<void>;
}

const folders = ["orders", "items", "cancellations", "events", "events/booked", "events/refused", "pictures"] as const;
const mostFileBytes = 16 * 2 ** 20;
const filesPerTick = 500;

/** The ERP that can only write and read files: orders, items and cancellations go out, event files come back. */
export async function openFileFace({ folder, books }: { folder: string; books: ErpBooks }): Promise<FileFace> {
  for (const name of folders) await mkdir(join(folder, name), { recursive: true });
  let orders: ErpOrder[] = [...books.orders.values()];
  let items: ErpItem[] = [...books.items.values()];
  let cancellations: ErpCancellation[] = [];
  let dropped = 0;
  books.onChange((change) => {
    if ("order" in change && change.isNew) orders.push(change.order);
    if ("cancellation" in change) cancellations.push(change.cancellation);
  });
  for (const { number, hasPicture } of items) {
    if (hasPicture) await writeFile(join(folder, "pictures", `${number}.gif`), picture(number));
  }

  /** Under another name first: whoever sees the file sees all of it. */
  const drop = async (kind: "orders" | "items" | "cancellations", elements: readonly object[]) => {
    if (elements.length === 0) return;
    const name = `${kind}-${String(++dropped).padStart(6, "0")}.json`;
    const draft = join(folder, kind, `.${name}`);
    await writeFile(draft, JSON.stringify(elements, null, 2));
    await rename(draft, join(folder, kind, name));
  };

  const take = async (name: string) => {
    const file = join(folder, "events", name);
    const isLarge = (await stat(file)).size > mostFileBytes;
    const isBooked = !isLarge && bookFile(books, await readFile(file, "utf8"));
    await rename(file, join(folder, "events", isBooked ? "booked" : "refused", name));
  };

  const tick = async () => {
    const [newItems, newOrders, newCancellations] = [items, orders, cancellations];
    [items, orders, cancellations] = [[], [], []];
    await drop(
      "items",
      newItems.map(({ number, name, grams }) => ({ number, name, weight: grams / 1000 })),
    );
    await drop("orders", newOrders.map(pushedOrder));
    await drop("cancellations", newCancellations.map(pushedCancellation));
    // Sorted by name they are in the order in which the adapter accepted them.
    const names = (await readdir(join(folder, "events"))).filter((name) => /^[^.].*\.json$/.test(name)).toSorted();
    for (const name of names.slice(0, filesPerTick)) await take(name);
  };
  await tick();
  return { tick };
}

const pushedOrder = ({ number, customer, due, warehouse, wave, lines }: ErpOrder) => ({
  ...{ number, description: `${customer.name}, ${customer.city}`, dueDate: due, designatedStorageName: warehouse },
  ...(wave === null ? {} : { deliveryNumber: wave }),
  requests: lines.map(({ line, item, qty }) => ({
    ...{ itemNumber: item, requestedAmount: qty, requestExternalIdentifier: String(line) },
  })),
});

const pushedCancellation = ({ order, line, reason }: ErpCancellation) => ({
  ...{ workOrderNumber: order, reason },
  ...(line === null ? {} : { requestExternalIdentifier: String(line) }),
});

function bookFile(books: ErpBooks, text: string): boolean {
  try {
    const { entryId, topic, data } = Object(JSON.parse(text));
    if (typeof entryId !== "string" || typeof topic !== "string") return false;
    return books.book({ id: entryId, topic, bookings: readEvent(topic, data) ?? [] }) === null;
  } catch {
    return false;
  }
}
