import { versionInfo } from "../../src/app/version-info.ts";
import { defaultBudgets } from "../../src/engine/budgets.ts";
import { createEngine } from "../../src/engine/engine.ts";
import { routing } from "../../src/engine/routing.ts";
import { contractRoad } from "../../src/http/contract-road.ts";
import { contractRoutes } from "../../src/http/contract-routes.ts";
import { inputReader } from "../../src/http/read-input.ts";
import { createServer } from "../../src/http/server.ts";
import type { Journal } from "../../src/journal/journal.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { newId } from "../../src/kit/ids.ts";
import { silentLog } from "../../src/kit/log.ts";
import { ok } from "../../src/sdk/outcome.ts";
import { serveJobs } from "../harness/serve-jobs.ts";

/** The same routes, reading, checks and envelope; but nothing is written down and nothing is booked. */
const outcome = ok({ updateWorkOrderRequest: null });
const journal: Journal = {
  append: (entries) => Promise.resolve(entries.map(({ id }, seq) => ({ id, seq, outcome, touched: false }))),
  close: async () => {},
};
const newReference = () => "";

await serveJobs(async () => {
  const connector = { operations: {}, check: async () => {}, close: async () => {} };
  const engine = createEngine({
    routing: routing({ connector, resident: true }),
    journal,
    clock: systemClock,
    log: silentLog,
    budgets: defaultBudgets,
    served: { dates: { timeZone: "UTC", timeOfDay: "00:00" }, invalidOrders: "quarantine" },
    newEntryId: () => `evt_${newId(systemClock)}`,
    newReference,
    onTouched: () => {},
  });
  const road = contractRoad({ engine, log: silentLog, validationMode: "envelope", newReference });
  const app = createServer({ basePath: "", bodyLimitBytes: 64 * 2 ** 20, log: silentLog, newReference });
  contractRoutes(app, {
    engine,
    road,
    bulk: null,
    reader: inputReader(),
    bodyLimitBytes: 64 * 2 ** 20,
    versionInfo: versionInfo(),
  });
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  return { ready: { url }, close: () => app.close() };
});
