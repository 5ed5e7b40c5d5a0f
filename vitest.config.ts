import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    // Node runs our TypeScript itself; without isolation the unit tests share its module cache and take seconds.
    isolate: false,
    pool: "threads",
    setupFiles: ["test/support/fixed-seed.ts"],
    testTimeout: 60_000,
  },
});
