import { writeFileSync } from "node:fs";
import type { Reporter, TestModule, Vitest } from "vitest/node";
import { judgeSkips, type SkippedTest, skipRules } from "./judge-skips.ts";

/** The file to write why the run fails is named in this variable; without it nothing is written. */
export const forbiddenSkipsVariable = "CROSSDOCK_FORBIDDEN_SKIPS";

/** Fails a run that must be complete and left something out; names what and why. */
export default class SkipReporter implements Reporter {
  #isChosenByName = false;

  onInit(vitest: Vitest): void {
    // With -t the runner itself leaves out all others, as somebody asked for it.
    this.#isChosenByName = vitest.config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const problems = this.#isChosenByName ? [] : judgeSkips(modules.flatMap(skippedIn), skipRules());
    for (const problem of problems) console.error(`# ${problem}`);
    if (problems.length > 0) process.exitCode = 1;
    const path = process.env[forbiddenSkipsVariable];
    if (path !== undefined) writeFileSync(path, JSON.stringify(problems));
  }
}

const skippedIn = (module: TestModule): SkippedTest[] =>
  [...module.children.allTests("skipped")].map((test) => {
    const result = test.result();
    const note = result.state === "skipped" ? result.note : undefined;
    return { name: `${module.relativeModuleId} > ${test.fullName}`, reason: note ?? "no reason given" };
  });
