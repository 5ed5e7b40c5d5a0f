import type { Tracing } from "../../../src/kit/tracing/tracing.ts";

/** Tracing whose spans nobody reads. The given function may fail in place of the start of a span. */
export const unreadTracing = (onStart: () => void = () => {}): Tracing => ({
  current: () => undefined,
  start: () => {
    onStart();
    return { traceId: "t", spanId: "s", isSampled: true, state: "", set: () => {}, fail: () => {}, end: () => {} };
  },
  within: (_, work) => work(),
});
