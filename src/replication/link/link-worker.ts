import { parentPort, workerData } from "node:worker_threads";
import { keepTicksFast } from "../../kit/threads/keep-ticks-fast.ts";
import { clientPool } from "../postgres/connection/client-pool.ts";
import { hostLink } from "./host-link.ts";
import type { LinkSettings, LinkThreadSettings } from "./link-messages.ts";

if (parentPort === null) throw new Error("the link to PostgreSQL runs only as a worker thread");
keepTicksFast();
// `link-thread.ts` starts this thread with these settings.
const { url, name, patienceMs, connections } = workerData as LinkThreadSettings;
const pool = clientPool({ url, name, timeoutMs: patienceMs, most: connections });

parentPort.on("message", (message: LinkSettings | "end") => {
  if (message === "end") void pool.close().then(() => process.exit());
  else void hostLink(message, pool.request);
});
