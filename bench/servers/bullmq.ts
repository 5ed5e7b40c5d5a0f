import { Queue } from "bullmq";
import { openFront } from "../front/open-front.ts";
import { childSettings, serveJobs } from "../harness/processes/serve-jobs.ts";

/** The same server with a BullMQ queue in place of the journal: answered when Redis has the job in its synced log. */
const { port } = childSettings<{ port: number }>();

await serveJobs(async () => {
  const queue = new Queue("events", { connection: { host: "127.0.0.1", port } });
  await queue.waitUntilReady();
  const front = await openFront((entry) => queue.add(entry.topic, entry, { jobId: entry.id }));
  return {
    ...front,
    close: async () => {
      await front.close?.();
      await queue.close();
    },
  };
});
