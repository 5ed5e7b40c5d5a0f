import { enableCompileCache } from "node:module";
import { join } from "node:path";

/** Loads the whole program, waits for a line, and only then runs it, as its own command would. */
const cache = join(import.meta.dirname, "../../node_modules/.cache/crossdock");
enableCompileCache(cache);
// Threads read this variable, not the call above.
process.env["NODE_COMPILE_CACHE"] ??= cache;
await import("../../src/cli/main.ts");
await Promise.all([
  import("../../src/cli/commands/start.ts"),
  import("../../src/config/load-config.ts"),
  import("../../src/config/document/config-document.ts"),
  import("../../src/config/checks/check-connectors.ts"),
  import("../../src/config/checks/check-forward.ts"),
  import("../../src/app/start.ts"),
  import("../../src/app/api-key.ts"),
  import("../../src/app/console-output/banner.ts"),
  import("../../src/app/console-output/open-log.ts"),
  import("../../src/app/version-info.ts"),
  import("../../src/server/server.ts"),
  import("../../src/connectors/webhook/open-webhook.ts"),
  import("../../src/connectors/http/open-http.ts"),
]);
const begun = await new Promise<boolean>((resolve) => {
  process.stdin.once("data", () => resolve(true));
  // The parent has ended, or does not need this process.
  process.stdin.once("end", () => resolve(false));
});
process.stdin.destroy();
// The launcher is plain JavaScript; its types are those of the program.
const launcher = new URL("../../bin/crossdock.js", import.meta.url).href;
if (begun) await import(launcher);
