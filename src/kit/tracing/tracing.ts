import type { TraceContext } from "./trace-context.ts";

export type SpanKind = "internal" | "server" | "client" | "producer" | "consumer";
/** Names follow the OpenTelemetry conventions. Values never contain an order, a person or a secret. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Pass the same object for all spans of a kind: what is known of it is encoded only once. */
export interface SpanOptions {
  readonly name: string;
  readonly kind: SpanKind;
  /** Attributes that all these spans share. */
  readonly fixed?: SpanAttributes;
  /** Begins a new trace, whatever is in progress. */
  readonly isRoot?: boolean;
}

/** A piece of work with a beginning and an end. After its end, nothing changes it. */
export interface Span extends TraceContext {
  readonly set: (name: string, value: string | number | boolean) => void;
  /** Marks the work as failed. The type is a short name, never a text of another system. */
  readonly fail: (type: string) => void;
  readonly end: () => void;
}

/** Measures pieces of work and passes their trace on. Absent if nothing is traced. */
export interface Tracing {
  /** The current span; undefined outside of any. */
  readonly current: () => TraceContext | undefined;
  /** Without a parent, the span belongs to the one in progress. If the parent is null, a new trace begins. */
  readonly start: (options: SpanOptions, parent?: TraceContext | null) => Span;
  /** Runs the work, and whatever follows from it, as part of the span. */
  readonly within: <Result>(span: TraceContext, work: () => Result) => Result;
}

/** Runs the work as part of the span. Without one it only runs the work. */
export const within = <Result>(
  tracing: Tracing | undefined,
  span: TraceContext | undefined,
  work: () => Result,
): Result => (tracing === undefined || span === undefined ? work() : tracing.within(span, work));

/** Runs the work inside a new span, which ends with it. Without tracing it only runs the work. */
export function traced<Result>(
  tracing: Tracing | undefined,
  options: SpanOptions,
  work: (span?: Span) => Result,
): Result {
  if (tracing === undefined) return work();
  const span = tracing.start(options);
  let result: Result;
  try {
    result = tracing.within(span, () => work(span));
  } catch (error) {
    span.fail(errorType(error));
    span.end();
    throw error;
  }
  if (!(result instanceof Promise)) {
    span.end();
    return result;
  }
  const ended = result.then(
    (value: unknown) => {
      span.end();
      return value;
    },
    (error: unknown) => {
      span.fail(errorType(error));
      span.end();
      throw error;
    },
  );
  // It settles like the promise that the work returned.
  return ended as Result;
}

/** The type of an error: its code, its kind or its class, never its text. */
export function errorType(error: unknown): string {
  if (!(error instanceof Error)) return "_OTHER";
  if ("kind" in error && typeof error.kind === "string") return error.kind;
  if ("code" in error && typeof error.code === "string") return error.code;
  return error.name;
}
