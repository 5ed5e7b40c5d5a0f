import { makeWorkerUtils } from "graphile-worker";
import { openFront } from "../../front/open-front.ts";
import { childSettings, serveJobs } from "../../harness/processes/serve-jobs.ts";
import type { PostgresSettings } from "../../peers/postgres.ts";

/** The same server with the job table of graphile-worker instead of the journal. */
const { connectionString, connections } = childSettings<PostgresSettings>();

await serveJobs(async () => {
  const worker = await makeWorkerUtils({ connectionString, maxPoolSize: connections });
  await worker.migrate();
  const front = await openFront((entry) => worker.addJob(entry.topic, entry));
  return {
    ...front,
    close: async () => {
      await front.close?.();
      await worker.release();
    },
  };
});
