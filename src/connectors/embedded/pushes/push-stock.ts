import type { PushedStock } from "../../../contract/pushes.ts";
import type { ResidentEntry } from "../../../journal/resident.ts";
import type { Database } from "../../../kit/sqlite.ts";
import { type DateSettings, readDateTime } from "../../../sdk/dates.ts";

/** Takes in an absolute stock level. Counts may arrive out of order: the newest count stays. */
export function pushStock(needs: {
  readonly database: Database;
  readonly dates: DateSettings;
}): (stock: PushedStock, entry: ResidentEntry) => void {
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
