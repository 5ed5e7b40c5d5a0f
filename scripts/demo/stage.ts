import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningAdapter, start } from "../../src/app/start.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { systemTimers } from "../../src/kit/time/timers.ts";
import { restConfig } from "../../src/tools/mock-erp/adapter-config.ts";
import { readErpFaults } from "../../src/tools/mock-erp/faults.ts";
import { type MockErp, startMockErp } from "../../src/tools/mock-erp/start-mock-erp.ts";

export interface Stage {
  readonly erp: MockErp;
  readonly adapter: RunningAdapter;
  /** Number of events that wait for the ERP. */
  readonly waiting: () => Promise<number>;
  readonly close: () => Promise<void>;
}

const apiKey = "demo-key";

/** An ERP with faults and an adapter in front of it, on free ports, in a temporary folder. */
export async function openStage({ orders }: { readonly orders: number }): Promise<Stage> {
  const faults = readErpFaults("5xx=2%,lost=1%,slow=1%:300ms");
  if ("problem" in faults) throw new Error(faults.problem);
  const folder = mkdtempSync(join(tmpdir(), "crossdock-demo-"));
  const erp = await startMockErp({
    ...{ seed: 1, orders, items: 40, host: "127.0.0.1", port: 0, token: null, isErrorInBody: false, faults },
    ...{
      given: null,
      database: null,
      folder: null,
      fileFormat: "json",
      everyMs: 500,
      timers: systemTimers,
      now: () => Date.now(),
      onTrouble: () => {},
    },
  });
  writeFileSync(join(folder, "crossdock.yaml"), restConfig({ url: erp.url, hasToken: false }));
  const env = { PORT: "0", CROSSDOCK_API_KEY: apiKey, CROSSDOCK_SAMPLE: "false" };
  const { config, settings, describe } = await loadConfig({ env, cwd: folder });
  const adapter = await start({ config, describe, settings: { ...settings, apiKey } });
  return {
    ...{ erp, adapter },
    waiting: async () => {
      const answer = await fetch(`${adapter.url}/admin/targets`, { headers: { authorization: `Bearer ${apiKey}` } });
      // The answer of our own route has this form.
      const { targets } = (await answer.json()) as { targets: readonly { waiting: number; inFlight: number }[] };
      return targets.reduce((sum, { waiting, inFlight }) => sum + waiting + inFlight, 0);
    },
    close: async () => {
      await adapter.close();
      await erp.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
