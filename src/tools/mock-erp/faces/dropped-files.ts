import type { ErpCancellation, ErpItem, ErpOrder } from "../books/erp-records.ts";

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
export const droppedFiles: Readonly<Record<FileFormat, DroppedFiles>> = {
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
