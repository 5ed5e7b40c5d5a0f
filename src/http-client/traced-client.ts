import { traceHeadersOf } from "../kit/tracing/trace-context.ts";
import { errorType, type SpanOptions, type Tracing } from "../kit/tracing/tracing.ts";
import type { HttpClient } from "./http-client.ts";

/**
 * A client whose requests are part of the current trace and pass it on. Outside of a trace it adds nothing: a
 * background check or login belongs to no call.
 */
export function tracedClient(client: HttpClient, tracing: Tracing | undefined): HttpClient {
  if (tracing === undefined) return client;
  const known = new Map<string, SpanOptions>();
  const optionsFor = (method: string, { protocol, hostname, port }: URL): SpanOptions => {
    const key = `${method} ${protocol}//${hostname}:${port}`;
    let options = known.get(key);
    if (options === undefined) {
      // Neither the path nor the query, which may contain an order, a person or a key.
      const fixed = {
        "http.request.method": method,
        "server.address": hostname.replace(/^\[(.*)\]$/, "$1"),
        "server.port": Number(port) || (protocol === "https:" ? 443 : 80),
        "url.scheme": protocol.slice(0, -1),
      };
      options = { name: method, kind: "client", fixed };
      known.set(key, options);
    }
    return options;
  };
  return {
    send: async (request) => {
      if (tracing.current() === undefined) return client.send(request);
      const span = tracing.start(optionsFor(request.method, request.url));
      try {
        const headers = { ...request.headers, ...traceHeadersOf(span) };
        const answer = await client.send({ ...request, headers });
        span.set("http.response.status_code", answer.status);
        if (answer.status >= 400) span.fail(String(answer.status));
        return answer;
      } catch (error) {
        span.fail(errorType(error));
        throw error;
      } finally {
        span.end();
      }
    },
    close: client.close,
  };
}
