import { chmodSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { peer as postgres } from "../../test/peers/postgres.ts";
import type { ExampleErp } from "../shift/example-erp.ts";
import { startStandIn } from "../shift/start-stand-in.ts";
import { cable } from "./cable.ts";

/** An ERP that is a PostgreSQL database: its tables are filled, and what is written into `events` is booked. */
export async function startErp(folder: string): Promise<ExampleErp> {
  const own = join(folder, "postgres");
  mkdirSync(own);
  chmodSync(own, 0o755);
  const { address, stop } = await postgres.start(own);
  const { host, port, user, password, database } = address;
  const url = `postgres://${user}:${password}@${host}:${port}/${database}`;
  const standIn = await startStandIn({ folder, options: ["--sql", url] });
  const office = new pg.Client({ connectionString: url });
  await office.connect();
  await office.query(readFileSync(join(import.meta.dirname, "logins.sql"), "utf8"));
  await office.end();
  const line = await cable({ host: String(host), port: Number(port) });
  return {
    ...standIn,
    isAskedLive: true,
    env: {
      ERP_URL: `postgres://crossdock:book-password@127.0.0.1:${line.port}/${database}`,
      ERP_READ_PASSWORD: "read-password",
    },
    goDown: line.pullOut,
    comeBack: line.putIn,
    close: async () => {
      await line.pullOut();
      await standIn.close();
      await stop();
    },
  };
}
