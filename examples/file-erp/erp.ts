import { renameSync } from "node:fs";
import { join } from "node:path";
import type { ExampleErp } from "../shift/example-erp.ts";
import { startStandIn } from "../shift/start-stand-in.ts";

/** An ERP that knows nothing but a folder: it drops files there, and takes files from there. */
export async function startErp(folder: string): Promise<ExampleErp> {
  const exchange = join(folder, "exchange");
  const away = join(folder, "exchange-is-away");
  const standIn = await startStandIn({ folder, options: ["--files", exchange, "--format", "csv"] });
  return {
    ...{ ...standIn, isAskedLive: false, env: { EXCHANGE_FOLDER: exchange } },
    // As when a network drive goes away.
    goDown: async () => {
      await standIn.goDown();
      renameSync(exchange, away);
    },
    comeBack: async () => {
      renameSync(away, exchange);
      await standIn.comeBack();
    },
  };
}
