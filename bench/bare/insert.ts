import { createRequire } from "node:module";
import type pg from "pg";
import type { LoadResult } from "../clients/load.ts";
import { quantile } from "../harness/median.ts";
import { childSettings, serveJobs } from "../harness/processes/serve-jobs.ts";

/** About as much as the changes of an event with its delivery. */
const bodyBytes = 2_000;

/** The least that storing one event in PostgreSQL takes: a prepared insert by the driver, one after the other. */
const { store } = childSettings<{ store: string }>();
// The package is written for `require`.
const { Client } = createRequire(import.meta.url)("pg") as typeof pg;

await serveJobs(async () => {
  const client = new Client({ connectionString: store });
  await client.connect();
  await client.query("CREATE TABLE IF NOT EXISTS bare_insert (number bigint PRIMARY KEY, body bytea NOT NULL)");
  await client.query("TRUNCATE bare_insert");
  const body = Buffer.alloc(bodyBytes, "changes ");
  let number = 0;
  const run = async (durationMs: unknown): Promise<LoadResult> => {
    const latenciesMs: number[] = [];
    const startedAt = performance.now();
    while (performance.now() - startedAt < Number(durationMs)) {
      const sentAt = performance.now();
      const values = [number++, body];
      await client.query({ name: "insert", text: "INSERT INTO bare_insert VALUES ($1, $2)", values });
      latenciesMs.push(performance.now() - sentAt);
    }
    const answers = latenciesMs.length;
    const perSecond = (answers * 1_000) / (performance.now() - startedAt);
    return { perSecond, answers, p50Ms: quantile(latenciesMs, 0.5), p99Ms: quantile(latenciesMs, 0.99) };
  };
  return { run, close: () => client.end() };
});
