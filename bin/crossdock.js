#!/usr/bin/env node
// Kept in plain old JavaScript: it has to run far enough on an old Node to say what is wrong.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const needed = [24, 12];
const [major, minor] = process.versions.node.split(".").map(Number);

if (major < needed[0] || (major === needed[0] && minor < needed[1])) {
  console.error(
    `crossdock: Node ${needed.join(".")} or newer is needed, this is ${process.versions.node}\n` +
      "Next: inside a checkout use `npm start` or `npx crossdock`, which bring their own Node; else install a newer one.",
  );
  process.exitCode = 1;
} else {
  const root = fileURLToPath(new URL("..", import.meta.url));
  // A checkout runs its sources, a package its build: sources beside a stale build must not be passed over.
  const source = join(root, "src/cli/main.ts");
  const isCheckout = existsSync(source);
  if (isCheckout) {
    // Keeps the stripped and compiled sources: without it every start compiles all of them anew, half a second.
    // Inside the folder and not in the system's temporary one, where another user could lay something down for us.
    const cache = join(root, "node_modules/.cache/crossdock");
    // Imported only now: an old Node does not have it, and would stop at the import instead of saying what is wrong.
    const { enableCompileCache } = await import("node:module");
    enableCompileCache(cache);
    // Threads look here, not at the call above.
    process.env.NODE_COMPILE_CACHE ??= cache;
  }
  const build = "../dist/src/cli/";
  const { main } = await (isCheckout ? import("../src/cli/main.ts") : import(`${build}main.js`));
  const { processTerminal } = await (isCheckout
    ? import("../src/cli/process-terminal.ts")
    : import(`${build}process-terminal.js`));
  const exitCode = await main(process.argv.slice(2), processTerminal());
  process.exitCode = exitCode;
  // Only reached where something was left open: a stopped adapter must not linger.
  setTimeout(() => process.exit(exitCode), 500).unref();
}
