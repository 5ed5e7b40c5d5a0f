import { describe, type TestContext, test } from "vitest";

type Titled<Run> = (title: string, run: Run) => void;
const leaveOut = () => {};

/**
 * A test that has a meaning only for some cases of a group, or on some systems. Elsewhere it does not exist: a skipped
 * one would count as something that this machine cannot run.
 */
export const testIf = (hasMeaning: boolean): Titled<(context: TestContext) => void | Promise<void>> =>
  hasMeaning ? test : leaveOut;
export const describeIf = (hasMeaning: boolean): Titled<() => void | Promise<void>> =>
  hasMeaning ? describe : leaveOut;
