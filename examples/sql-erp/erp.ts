import { chmodSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { peer as postgres } from "../../test/peers/postgres.ts";
import type { Booking, ExampleErp } from "../shift/example-erp.ts";
import { cable } from "./cable.ts";

const text = (file: string) => readFileSync(join(import.meta.dirname, file), "utf8");

interface BookingRow {
  readonly entry_id: string;
  readonly event: Booking["event"];
  readonly order_no: string;
  readonly line_no: string | null;
  readonly item_no: string | null;
  readonly qty: string | null;
  readonly tote: string | null;
  readonly place: string | null;
  readonly note: string | null;
}

/** An ERP that is a PostgreSQL database with tables and data of its own. */
export async function startErp(folder: string): Promise<ExampleErp> {
  const own = join(folder, "postgres");
  mkdirSync(own);
  chmodSync(own, 0o755);
  const { address, stop } = await postgres.start(own);
  const { host, port, user, password, database } = address;
  const office = new pg.Client({
    ...{ host: String(host), port: Number(port), user: String(user), password: String(password) },
    database: String(database),
  });
  // On Ctrl+C the server may go before us.
  office.on("error", () => {});
  await office.connect();
  await office.query(text("schema.sql"));
  await office.query(text("data.sql"));
  const line = await cable({ host: String(host), port: Number(port) });

  return {
    env: {
      ERP_URL: `postgres://crossdock:book-password@127.0.0.1:${line.port}/${database}`,
      ERP_READ_PASSWORD: "read-password",
    },
    isAskedLive: true,
    booked: async () => {
      const { rows } = await office.query<BookingRow>("SELECT * FROM bookings ORDER BY id");
      return rows.map(bookingOf);
    },
    cancelLine: async (order, lineNumber) => {
      const sql = "INSERT INTO cancellations (order_no, line_no, reason) VALUES ($1, $2, 'sold out')";
      await office.query(sql, [order, lineNumber]);
    },
    mendBadOrder: async () => {
      await office.query("UPDATE order_lines SET qty = 2 WHERE order_no = '4719'");
    },
    goDown: line.pullOut,
    comeBack: line.putIn,
    close: async () => {
      await line.pullOut();
      await office.end();
      await stop();
    },
  };
}

function bookingOf({ entry_id, event, order_no, line_no, item_no, qty, tote, place, note }: BookingRow) {
  return {
    ...{ id: entry_id, event, order: order_no },
    ...(line_no === null ? {} : { line: line_no }),
    ...(item_no === null ? {} : { item: item_no }),
    ...(qty === null ? {} : { amount: Number(qty) }),
    ...(tote === null ? {} : { container: tote }),
    ...(place === null ? {} : { place }),
    ...(note === null ? {} : { text: note }),
  };
}
