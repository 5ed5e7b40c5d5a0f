/** Every file of tests. The runner of tests knows no others. */
export const testFiles: readonly string[] = ["src/**/*.test.ts", "test/**/*.test.ts"];

/**
 * Those that open a browser. They take a third of the processor time of all tests, and have a command of their own,
 * `npm run test:browser`. All others belong to `npm test`.
 */
export const browserTestFiles = "**/*.browser.test.ts";
