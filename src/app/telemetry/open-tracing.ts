import { AsyncLocalStorage } from "node:async_hooks";
import type { TraceContext } from "../../kit/tracing/trace-context.ts";
import type { Tracing } from "../../kit/tracing/tracing.ts";
import type { Sampler } from "./sampler.ts";
import { type Id, idOf, SpanRecord, type SpanRecordNeeds, UnrecordedSpan } from "./span-record.ts";

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
      const begun = parent === null ? newId(traceBytes) : parent instanceof SpanRecord ? parent.trace : null;
      const traceId = begun?.digits ?? parent?.traceId ?? "";
      const id = newId(spanBytes);
      if (!needs.sampler(traceId, parent)) return new UnrecordedSpan(traceId, id.digits, parent);
      return new SpanRecord(needs, options, begun ?? idOf(traceId), id, parent);
    },
  };
}

const spanBytes = 8;
const traceBytes = 16;
const bytesAtOnce = 8_192;
const onlyZeros = /^0+$/;

/**
 * Returns ids of so many bytes. Many are generated at once, because a call of the random source costs more than the
 * rest of a span.
 */
function idMaker(randomBytes: TracingNeeds["randomBytes"]): (count: number) => Id {
  let bytes = randomBytes(bytesAtOnce);
  let allDigits = bytes.toString("hex");
  let place = 0;
  const next = (count: number): Id => {
    if (place + count > bytes.length) {
      bytes = randomBytes(bytesAtOnce);
      allDigits = bytes.toString("hex");
      place = 0;
    }
    const at = place;
    place += count;
    const digits = allDigits.slice(2 * at, 2 * place);
    return digits.startsWith("0") && onlyZeros.test(digits) ? next(count) : { digits, bytes, at };
  };
  return next;
}
