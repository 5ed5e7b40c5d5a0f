import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const root = resolve(import.meta.dirname, "../..");

/** Measured with a run of the whole gate; see "How long it takes" in CONTRIBUTING.md. */
const longest = [
  "test/reliability/chaos-short.test.ts",
  "test/reliability/chaos-forward.test.ts",
  "test/console/edges/lost-adapter.browser.test.ts",
  "test/replication/chaos-cluster.test.ts",
  "test/console/console.browser.test.ts",
  "test/console/states.browser.test.ts",
  "src/replication/journal-on-postgres.test.ts",
  "test/conformance/conform-right-ways.test.ts",
  "test/console/languages.browser.test.ts",
  "test/input/single-request.test.ts",
  "test/conformance/conform.test.ts",
  "test/flows/simulate/simulate.test.ts",
  "test/docs/docs.test.ts",
  "test/docs/examples.test.ts",
  "src/connectors/files/take/sweep.test.ts",
  "test/console/hostile-texts.browser.test.ts",
  "src/journal/journal.test.ts",
  "test/docs/operate-docs.test.ts",
  "test/changes/model/model.test.ts",
  "test/changes/planted/planted.test.ts",
  "test/conformance/contract-shaped.test.ts",
  "test/replication/planted/planted.test.ts",
  "test/conformance/conform-mutants.test.ts",
  "test/flows/simulate/simulate-changes.test.ts",
  "test/input/held-up/large-events-written.test.ts",
  "test/packaging/systemd.test.ts",
  "test/senders/senders.test.ts",
  "test/reliability/remembering-writer.test.ts",
  "test/docs/readme.test.ts",
  "test/conventions/npm-scripts-help.test.ts",
  "test/reliability/survives-kill.test.ts",
  "test/replication/commands/move.test.ts",
  "src/app/start.test.ts",
  "test/packaging/packages.test.ts",
  "test/reliability/idempotency.test.ts",
  "test/console/connect.browser.test.ts",
  "test/replication/many/many-deployments.test.ts",
  "test/replication/passing-on.test.ts",
  "test/input/long/long-pushes.test.ts",
  "test/input/spoiled-input.test.ts",
  "src/store/changes/open-changes.test.ts",
  "src/large-bodies/bulk-handler.test.ts",
  "test/docs/demo.test.ts",
  "test/reliability/damaged-while-running.test.ts",
  "src/app/deployments/start-deployments.test.ts",
  "test/packaging/monitoring.test.ts",
].map((path) => join(root, path));

/**
 * Starts the longest files first. On a fresh machine vitest sorts by file size. The chaos scenarios are in a short
 * file, so it would start last, and one core would be idle for minutes.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const missing = longest.filter((path) => !existsSync(path));
    if (missing.length > 0) throw new Error(`not there any more, name its successor: ${missing.join(", ")}`);
    const others = await super.sort(files.filter(({ moduleId }) => !longest.includes(moduleId)));
    return [...longest.flatMap((path) => files.filter(({ moduleId }) => moduleId === path)), ...others];
  }
}
