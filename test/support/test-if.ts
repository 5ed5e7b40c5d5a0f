import { describe, test } from "vitest";

type Titled = (title: string, run: () => void | Promise<void>) => void;
const leaveOut: Titled = () => {};

/**
 * A test that has a meaning only for some cases of a group, or on some systems. Elsewhere it does not exist: a skipped
 * one would count as something that this machine cannot run.
 */
export const testIf = (hasMeaning: boolean): Titled => (hasMeaning ? test : leaveOut);
export const describeIf = (hasMeaning: boolean): Titled => (hasMeaning ? describe : leaveOut);
