import type { Log } from "../log.ts";
import type { Tracing } from "./tracing.ts";

/** A log that adds the current trace and span to each line, so that one leads to the other. */
export function tracedLog(log: Log, tracing: Pick<Tracing, "current">): Log {
  const named = (write: Log["info"]) => (fields: object, text: string) => {
    const span = tracing.current();
    write(span === undefined ? fields : { ...fields, trace_id: span.traceId, span_id: span.spanId }, text);
  };
  return { debug: named(log.debug), info: named(log.info), warn: named(log.warn), error: named(log.error) };
}
