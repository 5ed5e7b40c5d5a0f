/**
 * The file of the CSV measurement: 20,000 orders of ten lines. Every row repeats all members of its order. About 26 MB.
 */
export function csvSample(orders = 20_000, linesPerOrder = 10): Buffer {
  const header =
    "number;externalIdentifier;description;dueDate;workOrderTypeName;designatedStorageName;deliveryNumber;" +
    "itemNumber;itemName;requestedAmount;unitOfMeasure;lotNumber;requestExternalIdentifier";
  const rows = [header];
  for (let order = 0; order < orders; order++) {
    const number = `WO-${String(order).padStart(7, "0")}`;
    const due = new Date(Date.UTC(2026, 0, 1 + (order % 300), 6, order % 60)).toISOString().slice(0, 16);
    const head = `${number};ERP-${800_000 + order};Customer order ${order};${due};Outbound;Shuttle ${order % 4};D${4_000_000 + order}`;
    for (let line = 0; line < linesPerOrder; line++) {
      const item = (order * 7 + line * 13) % 5_000;
      const name = item % 50 === 0 ? `"Screw ""M${item % 12}"", zinc"` : `Hexagon screw M${item % 12} zinc`;
      rows.push(
        `${head};${String(item).padStart(8, "0")};${name};${1 + (item % 90)};0;L${item % 400};${number}-${line + 1}`,
      );
    }
  }
  return Buffer.from(`${rows.join("\r\n")}\r\n`);
}
