import { Queue } from "bullmq";
import { openFront } from "../../front/open-front.ts";
import { childSettings, serveJobs } from "../../harness/processes/serve-jobs.ts";

/** The same server with a BullMQ queue instead of the journal. It answers when Redis has synced the job. */
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
