import type { IncomingMessage } from "node:http";
import type { FastifyInstance, onRequestHookHandler, preHandlerHookHandler } from "fastify";
import { readTraceHeaders } from "../../kit/tracing/trace-context.ts";
import type { SpanOptions, Tracing } from "../../kit/tracing/tracing.ts";
import { noteSpan, spanOf } from "./request-marks.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The route as a trace names it: a template without the values of a request. Absent: it is not traced. */
    readonly tracedAs?: TracedAs;
  }
}
type TracedAs = string | ((request: IncomingMessage) => string | undefined);

/**
 * Traces the requests of the routes that ask for it: those of the platform and of senders. Requests of consoles, probes
 * and metrics scrapers would bury them.
 */
export function traceRequests(app: FastifyInstance, { tracing, isTls }: { tracing: Tracing; isTls: boolean }): void {
  const scheme = isTls ? "https" : "http";
  /** By route, then by method: joining the two for each request would cost as much as the span. */
  const known = new Map<string, Map<string, SpanOptions>>();
  const optionsFor = (route: string, method: string): SpanOptions => {
    const before = known.get(route)?.get(method);
    if (before !== undefined) return before;
    // No path, no address of the client: they tell about orders and people.
    const fixed = { "http.request.method": method, "http.route": route, "url.scheme": scheme };
    const options: SpanOptions = { name: `${method} ${route}`, kind: "server", fixed };
    known.set(route, (known.get(route) ?? new Map<string, SpanOptions>()).set(method, options));
    return options;
  };

  const beginFor =
    (tracedAs: TracedAs): onRequestHookHandler =>
    (request, reply, done) => {
      const { raw } = request;
      const route = typeof tracedAs === "function" ? tracedAs(raw) : tracedAs;
      if (route === undefined) return done();
      const { traceparent, tracestate } = raw.headers;
      const parent = readTraceHeaders(traceparent, tracestate);
      const span = tracing.start(optionsFor(route, raw.method ?? "GET"), parent);
      noteSpan(raw, span);
      reply.raw.once("close", () => {
        const { statusCode, writableFinished } = reply.raw;
        span.set("http.response.status_code", statusCode);
        // A status below 500 is an answer, also if it refuses.
        if (statusCode >= 500) span.fail(String(statusCode));
        else if (!writableFinished) span.fail("aborted");
        span.end();
      });
      done();
    };
  // The body arrives in events of the connection, which belong to no span; from here on it is all one call.
  const within: preHandlerHookHandler = (request, _reply, done) => {
    const span = spanOf(request.raw);
    if (span === undefined) done();
    else tracing.within(span, done);
  };
  app.addHook("onRoute", (route) => {
    const tracedAs = route.config?.tracedAs;
    if (tracedAs === undefined) return;
    // After the checks of a route: what unknown callers send must not fill the traces.
    route.onRequest = [...[route.onRequest ?? []].flat(), beginFor(tracedAs)];
    route.preHandler = [within, ...[route.preHandler ?? []].flat()];
  });
}
