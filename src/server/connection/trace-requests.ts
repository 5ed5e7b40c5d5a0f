import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyInstance, onRequestHookHandler, preHandlerHookHandler, RouteHandlerMethod } from "fastify";
import { readTraceHeaders } from "../../kit/tracing/trace-context.ts";
import type { SpanOptions, Tracing } from "../../kit/tracing/tracing.ts";
import { noteSpan, spanOf } from "./request-marks.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The route as a trace names it: a template without the values of a request. Absent: it is not traced. */
    readonly tracedAs?: TracedAs;
    /** The operation of the route, if it has only one. */
    readonly operation?: string;
  }
}
type TracedAs = string | ((request: IncomingMessage) => string | undefined);

/**
 * Traces the requests of the routes that ask for it: those of the platform and of senders. Requests of consoles, probes
 * and metrics scrapers would bury them.
 */
export function traceRequests(app: FastifyInstance, { tracing, isTls }: { tracing: Tracing; isTls: boolean }): void {
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

  const beginFor = (tracedAs: TracedAs, operation: string | undefined): onRequestHookHandler => {
    /** By route, then by method: joining the two for each request would cost as much as the span. */
    const known = new Map<string, Map<string, SpanOptions>>();
    const optionsFor = (route: string, method: string): SpanOptions => {
      const before = known.get(route)?.get(method);
      if (before !== undefined) return before;
      const options = optionsOf(route, method, operation);
      known.set(route, (known.get(route) ?? new Map<string, SpanOptions>()).set(method, options));
      return options;
    };
    return (request, reply, done) => {
      const { raw } = request;
      const route = typeof tracedAs === "function" ? tracedAs(raw) : tracedAs;
      if (route === undefined) return done();
      const { traceparent, tracestate } = raw.headers;
      const parent = traceparent === undefined ? null : readTraceHeaders(traceparent, tracestate);
      const span = tracing.start(optionsFor(route, raw.method ?? "GET"), parent);
      noteSpan(raw, span);
      if (span.isSampled) reply.raw.on("close", endSpan);
      done();
    };
  };
  // The body arrives in events of the connection, which belong to no span; from here on it is all one call.
  const within: preHandlerHookHandler = (request, _reply, done) => {
    const span = spanOf(request.raw);
    if (span === undefined) done();
    else tracing.within(span, done);
  };
  const handlerWithin = (handle: RouteHandlerMethod): RouteHandlerMethod =>
    function handleWithin(request, reply) {
      const span = spanOf(request.raw);
      return span === undefined
        ? handle.call(this, request, reply)
        : tracing.within(span, () => handle.call(this, request, reply));
    };
  app.addHook("onRoute", (route) => {
    const tracedAs = route.config?.tracedAs;
    if (tracedAs === undefined) return;
    // After the checks of a route: what unknown callers send must not fill the traces.
    route.onRequest = [...[route.onRequest ?? []].flat(), beginFor(tracedAs, route.config?.operation)];
    const checks = [route.preHandler ?? []].flat();
    // A hook costs more than the rest of a span, so it is added only where others have to run inside the span too.
    if (checks.length > 0) route.preHandler = [within, ...checks];
    else route.handler = handlerWithin(route.handler);
  });
}

/** One function for all answers: a function for each would cost as much as the span. */
function endSpan(this: ServerResponse): void {
  const span = spanOf(this.req);
  if (span === undefined) return;
  const { statusCode, writableFinished } = this;
  span.set("http.response.status_code", statusCode);
  // A status below 500 is an answer, also if it refuses.
  if (statusCode >= 500) span.fail(String(statusCode));
  else if (!writableFinished) span.fail("aborted");
  span.end();
}
