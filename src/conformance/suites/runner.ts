/**
 * The `test` of node:test, vitest or jest. The third argument is the time limit of vitest and jest; node:test has none
 * by default and takes no notice of it.
 */
export type TestRunner = (name: string, run: () => Promise<void>, timeoutMs?: number) => unknown;
