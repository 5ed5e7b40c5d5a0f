import type { Reporter, TestModule, Vitest } from "vitest/node";
import { judgeSkips, skipRules } from "./judge-skips.ts";

/** Fails a run that must be complete and left something out; names what and why. */
export default class SkipReporter implements Reporter {
  #isChosenByName = false;

  onInit(vitest: Vitest): void {
    // With -t the runner itself leaves out all others, as somebody asked for it.
    this.#isChosenByName = vitest.config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (this.#isChosenByName) return;
    const skipped = modules.flatMap((module) =>
      [...module.children.allTests("skipped")].map((test) => {
        const result = test.result();
        const note = result.state === "skipped" ? result.note : undefined;
        return { name: `${module.relativeModuleId} > ${test.fullName}`, reason: note ?? "no reason given" };
      }),
    );
    const problems = judgeSkips(skipped, skipRules());
    for (const problem of problems) console.error(`# ${problem}`);
    if (problems.length > 0) process.exitCode = 1;
  }
}
