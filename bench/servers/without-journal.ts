import { openFront } from "../front/open-front.ts";
import { serveJobs } from "../harness/processes/serve-jobs.ts";

/** The same server, but nothing is written down. */
await serveJobs(() => openFront(async () => {}));
