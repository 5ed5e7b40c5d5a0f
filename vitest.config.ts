import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { testFiles } from "./test/gate/test-files.ts";
import { bundledThreads } from "./test/support/bundled-threads.ts";
import LongestFirst from "./test/support/longest-first.ts";

// Tests open hundreds of threads and processes. Without the cache each strips and compiles its sources anew: the suite of
// the journal, which opens the most, takes three times the processor time.
process.env["NODE_COMPILE_CACHE"] ??= join(import.meta.dirname, "node_modules/.cache/crossdock");

export default defineConfig({
  // Not while somebody edits: the threads would stay as they were at the start.
  plugins: process.argv.includes("run") ? [bundledThreads()] : [],
  // In a checkout the public doors lead to the sources, as tsconfig.json says too.
  resolve: {
    alias: {
      "crossdock/sdk": join(import.meta.dirname, "src/sdk/index.ts"),
      "crossdock/conformance": join(import.meta.dirname, "src/tools/conformance/index.ts"),
      "crossdock/contract": join(import.meta.dirname, "src/contract/index.ts"),
    },
  },
  test: {
    include: [...testFiles],
    // Node runs our TypeScript itself; without isolation the unit tests share its module cache and take seconds.
    isolate: false,
    pool: "threads",
    // Many tests wait for a process, a browser or a time limit: two cores have room for three more workers meanwhile.
    maxWorkers: Math.max(5, availableParallelism() - 1),
    sequence: { sequencer: LongestFirst },
    globalSetup: ["test/peers/desk.ts"],
    setupFiles: ["test/support/fixed-seed.ts"],
    // With CROSSDOCK_REQUIRE_PEERS=1 a run that skips a test fails.
    reporters: ["default", "./test/peers/skips/skip-reporter.ts"],
    // They end what hangs and decide nothing else: a busy machine must stay far below them.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000 } },
  },
});
