import type { Entry } from "../../journal/entry.ts";
import type { Appended } from "../../journal/journal.ts";
import { readTraceText, type TraceContext, traceTextOf } from "../../kit/tracing/trace-context.ts";
import { errorType, type Span, type SpanOptions, type Tracing } from "../../kit/tracing/tracing.ts";

/**
 * Limit of known pairs of topic and target. Both come from the contract and the configuration, so there are few; only
 * old names in the journal could make them many.
 */
const mostKnown = 1_000;

/**
 * Returns the span attributes of a step, created once per topic and target. The names follow the OpenTelemetry
 * conventions for messaging.
 */
function stepOptions(verb: string, kind: SpanOptions["kind"], operationType: string) {
  const known = new Map<string, Map<string | null, SpanOptions>>();
  let count = 0;
  return (topic: string, target: string | null): SpanOptions => {
    const before = known.get(topic)?.get(target);
    if (before !== undefined) return before;
    const options: SpanOptions = {
      name: `${verb} ${topic}`,
      kind,
      fixed: {
        "messaging.system": "crossdock",
        "messaging.operation.type": operationType,
        "messaging.operation.name": verb,
        "crossdock.topic": topic,
        ...(target === null ? {} : { "messaging.destination.name": target }),
      },
    };
    if (count < mostKnown) {
      count++;
      known.set(topic, (known.get(topic) ?? new Map<string | null, SpanOptions>()).set(target, options));
    }
    return options;
  };
}

const storing = stepOptions("store", "producer", "send");
const delivering = stepOptions("deliver", "consumer", "process");

/** Measures how entries are stored; deliveries of an entry belong to the span that stored it. */
export interface StoreSpan {
  /** Stored with the new entries. */
  readonly trace: string;
  /** Null if the trace is not recorded. */
  readonly span: Span | null;
  /** Whether it is the span of the call, which ends with the answer. */
  readonly isOfCall?: boolean;
}

/** Without a parent, the entries belong to the work in progress. */
export function startStoring(
  tracing: Tracing | undefined,
  topic: string,
  target: string | null,
  parent: TraceContext | undefined = tracing?.current(),
): StoreSpan | null {
  if (tracing === undefined) return null;
  // All spans of a trace are recorded here or none, so a further one would change nothing.
  if (parent?.isSampled === false) return { trace: traceTextOf(parent), span: null };
  const span = tracing.start(storing(topic, target), parent);
  return { trace: traceTextOf(span), span };
}

/**
 * As above for a single entry, which one call brought. To store it is what the call does, and a second span of the same
 * length would only cost time.
 */
export function startStoringOne(
  tracing: Tracing,
  topic: string,
  target: string | null,
  call: Span | undefined,
): StoreSpan | null {
  if (call === undefined) return startStoring(tracing, topic, target);
  return { trace: traceTextOf(call), span: call.isSampled ? call : null, isOfCall: true };
}

/** Notes the entry in the span, and ends it unless it is the call's. */
export function endStoring(stored: StoreSpan | null, appended: Appended | undefined): void {
  const span = stored?.span ?? null;
  if (span === null) return;
  if (appended !== undefined && "id" in appended) span.set("messaging.message.id", appended.id);
  else span.set("crossdock.repeat", true);
  if (stored?.isOfCall !== true) span.end();
}

/** Ends the span if it has not ended and is not the call's. */
export function failStoring(stored: StoreSpan | null, error: unknown): void {
  stored?.span?.fail(errorType(error));
  if (stored?.isOfCall !== true) stored?.span?.end();
}

/** Measures one attempt to deliver an entry, as part of the trace that the entry keeps. */
export function startAttempt(tracing: Tracing | undefined, entry: Entry): Span | null {
  if (tracing === undefined) return null;
  const span = tracing.start(delivering(entry.topic, entry.target), readTraceText(entry.trace));
  span.set("messaging.message.id", entry.id);
  span.set("crossdock.attempt", Math.max(1, entry.attempts + entry.targetFailures));
  return span;
}

export interface AttemptEnd {
  /** The entry's state after the attempt. */
  readonly outcome: string;
  readonly status?: number | undefined;
  /** Undefined if the attempt did not fail. */
  readonly error?: unknown;
}

/** Ends the span without the target's answer, which may concern an order or a person. */
export function endAttempt(span: Span | null, { outcome, status, error }: AttemptEnd): void {
  if (span === null) return;
  span.set("crossdock.outcome", outcome);
  if (status !== undefined) span.set("http.response.status_code", status);
  if (error !== undefined) span.fail(errorType(error));
  else if (outcome === "dead" || outcome === "rejected" || outcome === "retry") span.fail("refused");
  span.end();
}
