import { openFront } from "../front/open-front.ts";
import { serveJobs } from "../harness/processes/serve-jobs.ts";

/** The same server without storing anything. */
await serveJobs(() => openFront(async () => {}));
