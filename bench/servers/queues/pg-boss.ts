import { PgBoss } from "pg-boss";
import { openFront } from "../../front/open-front.ts";
import { childSettings, serveJobs } from "../../harness/processes/serve-jobs.ts";
import type { PostgresSettings } from "../../peers/postgres.ts";

/** The same server with a pg-boss queue instead of the journal. */
const { connectionString, connections } = childSettings<PostgresSettings>();
const queue = "events";

await serveJobs(async () => {
  const boss = new PgBoss({ connectionString, max: connections });
  boss.on("error", (error) => console.error(error));
  await boss.start();
  await boss.createQueue(queue);
  const front = await openFront((entry) => boss.send(queue, entry));
  return {
    ...front,
    close: async () => {
      await front.close?.();
      await boss.stop({ graceful: false });
    },
  };
});
