import { describe, type TestContext, test } from "vitest";

/** Windows has other rights than those of owner, group and others: every file seems to be open to all. */
export const hasFileModes = process.platform !== "win32";

type Titled<Run> = (title: string, run: Run) => void;
const leaveOut = () => {};

/**
 * A test that makes sense only for some cases of a group, or on some systems. Elsewhere it is not defined at all,
 * because a skipped test would count as something that this machine cannot run.
 */
export const testIf = (hasMeaning: boolean): Titled<(context: TestContext) => void | Promise<void>> =>
  hasMeaning ? test : leaveOut;
export const describeIf = (hasMeaning: boolean): Titled<() => void | Promise<void>> =>
  hasMeaning ? describe : leaveOut;
