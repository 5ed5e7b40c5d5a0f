import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const root = resolve(import.meta.dirname, "../..");

/** Measured by a run of the whole gate; see "How long it takes" in CONTRIBUTING.md. */
const longest = [
  "test/reliability/chaos-short.test.ts",
  "test/replication/chaos-cluster.test.ts",
  "test/console/states.test.ts",
  "test/console/console.test.ts",
  "test/docs/examples.test.ts",
  "test/conformance/conform.test.ts",
  "test/conformance/conform-right-ways.test.ts",
  "src/replication/journal-on-postgres.test.ts",
  "test/changes/planted/planted.test.ts",
  "test/replication/planted/planted.test.ts",
  "test/console/hostile-texts.test.ts",
  "test/conformance/contract-shaped.test.ts",
  "test/docs/docs.test.ts",
  "test/console/connect.test.ts",
  "test/flows/simulate/simulate.test.ts",
  "src/journal/journal.test.ts",
  "src/connectors/files/take/sweep.test.ts",
  "test/reliability/idempotency.test.ts",
  "src/connectors/files/store/stores.test.ts",
  "test/flows/simulate/simulate-changes.test.ts",
  "test/docs/readme.test.ts",
  "test/reliability/survives-kill.test.ts",
  "test/reliability/remembering-writer.test.ts",
  "test/input/long-pushes.test.ts",
].map((path) => join(root, path));

/**
 * Starts the longest files first. On a fresh machine vitest goes by the size of a file, and the scenarios of chaos are a
 * short file: it would start last, and one core would be idle for minutes.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const missing = longest.filter((path) => !existsSync(path));
    if (missing.length > 0) throw new Error(`not there any more, name its successor: ${missing.join(", ")}`);
    const others = await super.sort(files.filter(({ moduleId }) => !longest.includes(moduleId)));
    return [...longest.flatMap((path) => files.filter(({ moduleId }) => moduleId === path)), ...others];
  }
}
