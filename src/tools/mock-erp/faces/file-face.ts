import { mkdir, readdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ErpCancellation, type ErpItem, type ErpOrder, picture } from "../state/erp-records.ts";
import type { ErpState } from "../state/erp-state.ts";
import { readDocument, readEvent } from "../state/read-event.ts";

export interface FileFace {
  /** Drops new records, and processes event files. */
  readonly tick: () => Promise<void>;
}

const folders = ["orders", "items", "cancellations", "events", "events/booked", "events/refused", "pictures"] as const;
const mostFileBytes = 16 * 2 ** 20;
const filesPerTick = 500;

export interface FileFaceNeeds {
  readonly folder: string;
  readonly erp: ErpState;
  readonly format: FileFormat;
}

/** An ERP that only exchanges files: it drops orders, items and cancellations, and reads event files. */
export async function openFileFace({ folder, erp, format }: FileFaceNeeds): Promise<FileFace> {
  for (const name of folders) await mkdir(join(folder, name), { recursive: true });
  const orders: ErpOrder[] = [...erp.orders.values()];
  const items: ErpItem[] = [...erp.items.values()];
  const cancellations: ErpCancellation[] = [];
  let dropped = 0;
  erp.onChange((change) => {
    if ("order" in change && change.isNew) orders.push(change.order);
    if ("cancellation" in change) cancellations.push(change.cancellation);
  });
  for (const { number, hasPicture } of items) {
    if (hasPicture) await writeFile(join(folder, "pictures", `${encodeURIComponent(number)}.gif`), picture(number));
  }

  const drop = async <Element>(
    kind: keyof (typeof droppedFiles)["json"],
    waiting: Element[],
    write: (elements: readonly Element[]) => string,
  ) => {
    const elements = [...waiting];
    if (elements.length === 0) return;
    const name = `${kind}-${String(++dropped).padStart(6, "0")}.${format}`;
    // Written under another name first, so that nobody reads an incomplete file.
    const draft = join(folder, kind, `.${name}`);
    await writeFile(draft, write(elements));
    await rename(draft, join(folder, kind, name));
    // Removed only after success: while the folder is missing, the records wait.
    waiting.splice(0, elements.length);
  };

  const take = async (name: string) => {
    const file = join(folder, "events", name);
    const isLarge = (await stat(file)).size > mostFileBytes;
    const isBooked = !isLarge && bookEventFile(erp, await readFile(file, "utf8"));
    await rename(file, join(folder, "events", isBooked ? "booked" : "refused", name));
  };

  const content = droppedFiles[format];
  const tick = async () => {
    await drop("items", items, content.items);
    await drop("orders", orders, content.orders);
    await drop("cancellations", cancellations, content.cancellations);
    // The order of the names is the order in which the adapter accepted the events.
    const names = (await readdir(join(folder, "events"))).filter((name) => /^[^.].*\.json$/.test(name)).toSorted();
    for (const name of names.slice(0, filesPerTick)) await take(name);
  };
  await tick();
  return { tick };
}

/** The adapter's own file with the platform's body, or a document in the ERP's format. */
function bookEventFile(erp: ErpState, text: string): boolean {
  try {
    const file: unknown = JSON.parse(text);
    const { id, entryId = id, topic = "booking", data } = Object(file);
    if (typeof entryId !== "string" || typeof topic !== "string") return false;
    const bookings = data === undefined ? readDocument(file) : (readEvent(topic, data) ?? []);
    return bookings !== null && erp.book({ id: entryId, topic, bookings }) === null;
  } catch {
    return false;
  }
}

export type FileFormat = "json" | "csv";

/** The content of the files that the ERP drops. */
interface DroppedFiles {
  readonly orders: (orders: readonly ErpOrder[]) => string;
  readonly items: (items: readonly ErpItem[]) => string;
  readonly cancellations: (cancellations: readonly ErpCancellation[]) => string;
}

const json = (elements: readonly object[]) => JSON.stringify(elements, null, 2);

type Cell = string | number | null;
const cell = (value: Cell) => {
  // In German number format, with a decimal comma.
  const text = typeof value === "number" ? String(value).replace(".", ",") : (value ?? "");
  return /[;"\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
const csv = (heading: string, rows: readonly (readonly Cell[])[]) =>
  [heading, ...rows.map((row) => row.map(cell).join(";"))].map((line) => `${line}\r\n`).join("");
const germanDate = (iso: string) => iso.replace(/^(\d{4})-(\d\d)-(\d\d)$/, "$3.$2.$1");

/** JSON with the contract's names, which needs no mapping; CSV with the ERP's own, one row per order line. */
const droppedFiles: Readonly<Record<FileFormat, DroppedFiles>> = {
  json: {
    orders: (orders) =>
      json(
        orders.map(({ number, customer, due, warehouse, wave, lines }) => ({
          ...{
            number,
            description: `${customer.name}, ${customer.city}`,
            dueDate: due,
            designatedStorageName: warehouse,
          },
          ...(wave === null ? {} : { deliveryNumber: wave }),
          requests: lines.map(({ line, item, qty }) => ({
            ...{ itemNumber: item, requestedAmount: qty, requestExternalIdentifier: String(line) },
          })),
        })),
      ),
    items: (items) => json(items.map(({ number, name, grams }) => ({ number, name, weight: grams / 1000 }))),
    cancellations: (cancellations) =>
      json(
        cancellations.map(({ order, line, reason }) => ({
          ...{ workOrderNumber: order, reason },
          ...(line === null ? {} : { requestExternalIdentifier: String(line) }),
        })),
      ),
  },
  csv: {
    orders: (orders) =>
      csv(
        "order;customer;city;due;warehouse;wave;line;item;qty",
        orders.flatMap(({ number, customer: { name, city }, due, warehouse, wave, lines }) =>
          lines.map(({ line, item, qty }) => [number, name, city, germanDate(due), warehouse, wave, line, item, qty]),
        ),
      ),
    items: (items) =>
      csv(
        "item;name;grams",
        items.map(({ number, name, grams }) => [number, name, grams]),
      ),
    cancellations: (cancellations) =>
      csv(
        "order;line;reason",
        cancellations.map(({ order, line, reason }) => [order, line, reason]),
      ),
  },
};
