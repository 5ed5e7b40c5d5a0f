import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ExampleErp } from "../shift/example-erp.ts";
import { fileBooking } from "./file-booking.ts";

/** An ERP that knows nothing but a folder: it drops files there, and takes files from there. */
export async function startErp(folder: string): Promise<ExampleErp> {
  const exchange = join(folder, "exchange");
  const away = join(folder, "exchange-is-away");
  cpSync(join(import.meta.dirname, "exchange"), exchange, { recursive: true });
  for (const name of ["cancellations", "events"]) mkdirSync(join(exchange, name));

  /** Under another name until it is complete: whoever watches the folder never sees half a file. */
  const drop = (name: string, lines: readonly string[]) => {
    const unfinished = join(exchange, ".unfinished");
    writeFileSync(unfinished, lines.map((line) => `${line}\r\n`).join(""));
    renameSync(unfinished, join(exchange, name));
  };

  return {
    env: { EXCHANGE_FOLDER: exchange },
    isAskedLive: false,
    booked: async () => {
      const files = readdirSync(join(exchange, "events")).filter((name) => !name.startsWith("."));
      return files
        .toSorted()
        .flatMap((name) => fileBooking(name, readFileSync(join(exchange, "events", name), "utf8")));
    },
    cancelLine: async (order, line) => {
      const headings = "workOrderNumber;requestExternalIdentifier;reason";
      drop(`cancellations/${order}.csv`, [headings, `${order};${line};sold out`]);
    },
    mendBadOrder: async () => {
      const headings = "VBELN;WADAT;LGORT;KUNDE;POSNR;MATNR;KWMENG";
      drop("orders/orders-4719.csv", [headings, "4719;31.01.2030;Main;Huber Bakery;10;100100;2,000"]);
    },
    // As when a network drive goes away.
    goDown: async () => renameSync(exchange, away),
    comeBack: async () => renameSync(away, exchange),
    close: async () => {},
  };
}
