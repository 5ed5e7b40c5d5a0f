import { AsyncLocalStorage } from "node:async_hooks";
import type { TraceContext } from "../../kit/tracing/trace-context.ts";
import type { Tracing } from "../../kit/tracing/tracing.ts";
import type { Sampler } from "./sampler.ts";
import { SpanRecord, type SpanRecordNeeds, UnrecordedSpan } from "./span-record.ts";

export interface TracingNeeds extends SpanRecordNeeds {
  readonly sampler: Sampler;
  /** Random bytes. */
  readonly randomBytes: (count: number) => Buffer;
}

/** Opens tracing. The current span follows the work through everything that it awaits. */
export function openTracing(needs: TracingNeeds): Tracing {
  const inProgress = new AsyncLocalStorage<TraceContext>();
  const newId = idMaker(needs.randomBytes);
  return {
    current: () => inProgress.getStore(),
    within: (span, work) => inProgress.run(span, work),
    start: (options, parent = options.isRoot ? null : (inProgress.getStore() ?? null)) => {
      const traceId = parent?.traceId ?? newId(traceDigits);
      const spanId = newId(spanDigits);
      if (!needs.sampler(traceId, parent)) return new UnrecordedSpan(traceId, spanId, parent);
      return new SpanRecord(needs, options, traceId, spanId, parent);
    },
  };
}

const spanDigits = 16;
const traceDigits = 32;
const bytesAtOnce = 2_048;
const onlyZeros = /^0+$/;

/**
 * Returns ids of so many digits. Many are generated at once, because a call of the random source costs more than the
 * rest of a span.
 */
function idMaker(randomBytes: TracingNeeds["randomBytes"]): (count: number) => string {
  let digits = "";
  let place = 0;
  const next = (count: number): string => {
    if (place + count > digits.length) {
      digits = randomBytes(bytesAtOnce).toString("hex");
      place = 0;
    }
    place += count;
    const id = digits.slice(place - count, place);
    return id.startsWith("0") && onlyZeros.test(id) ? next(count) : id;
  };
  return next;
}
