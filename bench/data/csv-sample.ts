const header =
  "number;externalIdentifier;description;dueDate;workOrderTypeName;designatedStorageName;deliveryNumber;" +
  "itemNumber;itemName;requestedAmount;unitOfMeasure;lotNumber;requestExternalIdentifier";

/** The rows of one order. Every row repeats all members of its order. */
function rowsOf(order: number, lines: number): string[] {
  const number = `WO-${String(order).padStart(7, "0")}`;
  const due = new Date(Date.UTC(2026, 0, 1 + (order % 300), 6, order % 60)).toISOString().slice(0, 16);
  const head = `${number};ERP-${800_000 + order};Customer order ${order};${due};Outbound;Shuttle ${order % 4};D${4_000_000 + order}`;
  return Array.from({ length: lines }, (_, line) => {
    const item = (order * 7 + line * 13) % 5_000;
    const name = item % 50 === 0 ? `"Screw ""M${item % 12}"", zinc"` : `Hexagon screw M${item % 12} zinc`;
    return `${head};${String(item).padStart(8, "0")};${name};${1 + (item % 90)};0;L${item % 400};${number}-${line + 1}`;
  });
}

/** The file of the CSV measurement: 20,000 orders of ten lines. About 26 MB. */
export function csvSample(orders = 20_000, linesPerOrder = 10): Buffer {
  const rows = [header];
  for (let order = 0; order < orders; order++) rows.push(...rowsOf(order, linesPerOrder));
  return Buffer.from(`${rows.join("\r\n")}\r\n`);
}

/** A file of that size, in pieces of a thousand orders: it would not fit into one text. */
export function* csvRows(bytes: number, linesPerOrder = 10): Generator<string> {
  let written = `${header}\r\n`.length;
  yield `${header}\r\n`;
  for (let first = 0; written < bytes; first += 1_000) {
    let piece = "";
    for (let order = first; order < first + 1_000 && written + piece.length < bytes; order++) {
      piece += `${rowsOf(order, linesPerOrder).join("\r\n")}\r\n`;
    }
    written += piece.length;
    yield piece;
  }
}
