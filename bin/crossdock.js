#!/usr/bin/env node
// Kept in plain old JavaScript: it has to run far enough on an old Node to start a newer one, or to say what is wrong.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const needed = [24, 12];
const [major, minor] = process.versions.node.split(".").map(Number);

if (major < needed[0] || (major === needed[0] && minor < needed[1])) {
  const own = ownNode();
  if (own === undefined) {
    console.error(
      `crossdock: Node ${needed.join(".")} or newer is needed, this is ${process.versions.node}\n` +
        "Next: install a newer one, or Crossdock with its optional dependencies, which bring their own Node.",
    );
    process.exitCode = 1;
  } else runWith(own);
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

/** The Node that is installed with this program; undefined if there is none for this system. */
function ownNode() {
  const system = `${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  for (const name of [`node-${system}`, `node-bin-${system}`]) {
    try {
      const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
      const program = join(folder, "bin", process.platform === "win32" ? "node.exe" : "node");
      if (existsSync(program)) return program;
    } catch {
      // Not installed.
    }
  }
  return undefined;
}

/** Runs this file again, and ends as that process ends. */
function runWith(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: "inherit" });
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  // A terminal sends this one to both, and a second one would not wait for running requests.
  process.on("SIGINT", () => {});
  child.on("error", (error) => {
    console.error(`crossdock: ${node} cannot be started: ${error.message}`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    process.exitCode = code === null ? 128 + (constants.signals[signal] ?? 0) : code;
  });
}
