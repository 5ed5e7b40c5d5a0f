import type { TraceContext } from "../../kit/tracing/trace-context.ts";

/** Decides whether a new span is recorded, by its trace and the span that it belongs to. */
export type Sampler = (traceId: string, parent: TraceContext | null) => boolean;

const always: Sampler = () => true;
const never: Sampler = () => false;
/** Follows the decision of the parent, so that a trace is recorded completely or not at all. */
const byParent =
  (root: Sampler): Sampler =>
  (traceId, parent) =>
    parent === null ? root(traceId, parent) : parent.isSampled;

/** Decides by the last 52 bits of the id, which are random, so that every process decides the same about a trace. */
function byRatio(ratio: number): Sampler {
  if (ratio >= 1) return always;
  // Digits of equal number compare like their numbers; reading the number would cost more than the rest of a span.
  const below = Math.floor(ratio * 2 ** 52)
    .toString(16)
    .padStart(13, "0");
  return (traceId) => traceId.slice(-13) < below;
}

const kinds: Readonly<Record<string, (ratio: number) => Sampler>> = {
  always_on: () => always,
  always_off: () => never,
  traceidratio: byRatio,
  parentbased_always_on: () => byParent(always),
  parentbased_always_off: () => byParent(never),
  parentbased_traceidratio: (ratio) => byParent(byRatio(ratio)),
};

/** Returns the sampler that the standard variables of OpenTelemetry ask for. */
export function samplerOf(
  kind = "parentbased_always_on",
  argument?: string,
): { readonly sampler: Sampler; readonly warnings: readonly string[] } {
  const warnings: string[] = [];
  const make = kinds[kind];
  if (make === undefined) {
    warnings.push(`OTEL_TRACES_SAMPLER must be one of ${Object.keys(kinds).join(", ")}; parentbased_always_on is used`);
    return { sampler: byParent(always), warnings };
  }
  const ratio = Number(argument ?? "1");
  const isRatio = argument === undefined || (argument !== "" && ratio >= 0 && ratio <= 1);
  if (kind.endsWith("traceidratio") && !isRatio)
    warnings.push("OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1; 1 is used");
  return { sampler: make(isRatio ? ratio : 1), warnings };
}
