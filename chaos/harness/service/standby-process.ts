import { enableCompileCache, flushCompileCache } from "node:module";
import { join } from "node:path";

/** Loads the whole program, waits for a line on its input, and only then runs it as the command line would. */
const cache = join(import.meta.dirname, "../../../node_modules/.cache/crossdock");
enableCompileCache(cache);
// Threads read this variable, because they do not see the call above.
process.env["NODE_COMPILE_CACHE"] ??= cache;
const [{ main }, { processTerminal }] = await Promise.all([
  import("../../../src/cli/main.ts"),
  import("../../../src/cli/process-terminal.ts"),
]);
await Promise.all([
  import("../../../src/cli/commands/start.ts"),
  import("../../../src/config/load-config.ts"),
  import("../../../src/config/document/config-document.ts"),
  import("../../../src/config/checks/check-connectors.ts"),
  import("../../../src/config/checks/check-forward.ts"),
  import("../../../src/app/start.ts"),
  import("../../../src/app/api-key.ts"),
  import("../../../src/app/console-output/banner.ts"),
  import("../../../src/app/console-output/open-log.ts"),
  import("../../../src/app/version-info.ts"),
  import("../../../src/server/server.ts"),
  import("../../../src/connectors/webhook/connector.ts"),
  import("../../../src/connectors/http/connector.ts"),
  // The writer's thread loads it. Here it is only compiled.
  import("../../../src/store/store-projection.ts"),
]);
// Written now: a killed process writes nothing at its end, and every later process would compile everything again.
flushCompileCache();
const begun = await new Promise<boolean>((resolve) => {
  process.stdin.once("data", () => resolve(true));
  // The parent process has ended, or does not need this one.
  process.stdin.once("end", () => resolve(false));
});
process.stdin.destroy();
if (begun) {
  const exitCode = await main(process.argv.slice(2), processTerminal());
  process.exitCode = exitCode;
  // As the program itself does: a stopped adapter must not linger.
  setTimeout(() => process.exit(exitCode), 500).unref();
}
