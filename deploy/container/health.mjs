// Ends with 0 if the adapter of this container answers. It is asked where it says that it listens, so that a base path, another
// port or certificates change nothing here.
import { readFileSync } from "node:fs";
import { join } from "node:path";

// It is this container's own address: the name in its certificate is another one.
process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
process.removeAllListeners("warning");
try {
  const folder = process.env.CROSSDOCK_DATA_DIR ?? "data";
  const { url } = JSON.parse(readFileSync(join(folder, "adapter.json"), "utf8"));
  const answer = await fetch(`${url}/health/live`, { signal: AbortSignal.timeout(4_000) });
  // One that is refused was answered, too: the platform may have to authenticate for this route.
  if (answer.status >= 500) throw new Error(`${url}/health/live answers ${answer.status}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
