import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyRequest, RouteHandlerMethod, RouteOptions } from "fastify";
import { readTraceHeaders } from "../../kit/tracing/trace-context.ts";
import type { SpanOptions, Tracing } from "../../kit/tracing/tracing.ts";
import { noteSpan, spanOf } from "./request-marks.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The route as a trace names it: a template without the values of a request. Absent: it is not traced. */
    readonly tracedAs?: TracedAs;
    /** The operation of the route, if it has only one. */
    readonly operation?: string;
    /**
     * Whether the handler passes its span on as an argument. Following all of the work costs as much as two spans, and
     * an event that is only stored needs the span in three places.
     */
    readonly passesSpan?: boolean;
  }
}
type TracedAs = string | ((request: IncomingMessage) => string | undefined);

/** Begins the span of a request. Hooks cost more than spans, so it is called by what runs for a request anyway. */
type BeginSpan = (request: FastifyRequest) => void;

/**
 * Traces the requests of the routes that ask for it: those of the platform and of senders. Requests of consoles, probes
 * and metrics scrapers would bury them. The returned function prepares a route. If the route takes a body, it returns
 * what begins the span, to be called after the checks of the route, so that unknown callers do not fill the traces, and
 * before the body is read.
 */
export function requestTracer({ tracing, isTls }: { tracing: Tracing; isTls: boolean }) {
  const scheme = isTls ? "https" : "http";
  const optionsOf = (route: string, method: string, operation: string | undefined): SpanOptions => ({
    name: `${method} ${route}`,
    kind: "server",
    // No path, no address of the client: they tell about orders and people.
    fixed: {
      "http.request.method": method,
      "http.route": route,
      "url.scheme": scheme,
      ...(operation === undefined ? {} : { "crossdock.operation": operation }),
    },
  });

  const beginFor = (tracedAs: TracedAs, operation: string | undefined): BeginSpan => {
    /** By route, then by method: joining the two for each request would cost as much as the span. */
    const known = new Map<string, Map<string, SpanOptions>>();
    const optionsFor = (route: string, method: string): SpanOptions => {
      const before = known.get(route)?.get(method);
      if (before !== undefined) return before;
      const options = optionsOf(route, method, operation);
      known.set(route, (known.get(route) ?? new Map<string, SpanOptions>()).set(method, options));
      return options;
    };
    return ({ raw }) => {
      const route = typeof tracedAs === "function" ? tracedAs(raw) : tracedAs;
      if (route === undefined) return;
      const { traceparent, tracestate } = raw.headers;
      const parent = traceparent === undefined ? null : readTraceHeaders(traceparent, tracestate);
      noteSpan(raw, tracing.start(optionsFor(route, raw.method ?? "GET"), parent));
    };
  };
  // The body arrives in events of the connection, which belong to no span; from here on it is all one call.
  const handlerWithin = (handle: RouteHandlerMethod, begin: BeginSpan | null): RouteHandlerMethod =>
    function handleWithin(request, reply) {
      begin?.(request);
      const span = spanOf(request.raw);
      return span === undefined
        ? handle.call(this, request, reply)
        : tracing.within(span, () => handle.call(this, request, reply));
    };
  return (route: RouteOptions, takesBody: boolean): BeginSpan | null => {
    const tracedAs = route.config?.tracedAs;
    if (tracedAs === undefined) return null;
    const begin = beginFor(tracedAs, route.config?.operation);
    const isFollowed = route.config?.passesSpan !== true;
    if (isFollowed || !takesBody) route.handler = handlerWithin(route.handler, takesBody ? null : begin);
    return takesBody ? begin : null;
  };
}

/** Ends the span of an answered request, if it has one. */
export function endSpan({ req, statusCode, writableFinished }: ServerResponse): void {
  const span = spanOf(req);
  if (span === undefined) return;
  span.set("http.response.status_code", statusCode);
  // A status below 500 is an answer, also if it refuses.
  if (statusCode >= 500) span.fail(String(statusCode));
  else if (!writableFinished) span.fail("aborted");
  span.end();
}
