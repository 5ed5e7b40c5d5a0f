import type { IncomingMessage, ServerResponse } from "node:http";
import type { TlsOptions } from "node:tls";
import {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  type preParsingHookHandler,
  type RouteOptions,
} from "fastify";
import { routeMatcher } from "../contract/derive/match-route.ts";
import type { Log } from "../kit/log.ts";
import type { Tracing } from "../kit/tracing/tracing.ts";
import { type BodyBudget, bodyBudget, rememberResponse } from "./connection/body-budget.ts";
import { BodyRefused, bodyParser } from "./connection/body-parser.ts";
import { answerInOrder, connectionCaps, linger, slowBodyGuard } from "./connection/connection-caps.ts";
import { continueWhenRead, giveLeave } from "./connection/expect-continue.ts";
import { callerOf, takeCaller } from "./connection/passed-on.ts";
import {
  addressFor,
  addressForConfigured,
  addressForRefused,
  allowedMethods,
  isConfigured,
  leaveSnapshot,
  noteBegin,
  refusalOf,
  spanOf,
  takeSnapshot,
} from "./connection/request-marks.ts";
import type { RequestsInProgress } from "./connection/requests-in-progress.ts";
import { endSpan, requestTracer } from "./connection/trace-requests.ts";
import { problemAnswer, writeAnswer } from "./contract/answer.ts";
import { answerClientError, listenerEdges, listenerLimits, mostConnections } from "./create-listener.ts";
import type { ServerSnapshot } from "./server-snapshot.ts";

export { backlog, within10s } from "./create-listener.ts";

export interface ServerSettings {
  readonly basePath: string;
  readonly bodyLimitBytes: number;
  readonly log: Log;
  readonly newReference: () => string;
  /** Returns the snapshot for a request that arrives now. Absent if no route needs one. */
  readonly current?: () => ServerSnapshot;
  /** The limit for all bodies together while they are received or processed. */
  readonly bodies?: BodyBudget;
  readonly connections?: Parameters<typeof connectionCaps>[1];
  /**
   * Other processes of the deployment use this secret to prove for whom they pass a request on. Absent: no process
   * passes requests on.
   */
  readonly callerSecret?: string | undefined;
  /** Absent: requests are not traced. */
  readonly tracing?: Tracing | undefined;
  /** Certificates; absent: plain HTTP. */
  readonly tls?: TlsOptions;
  /** Whether requests come by HTTPS from another listener. */
  readonly isBehindTls?: boolean;
  /**
   * Of a server whose requests come from another listener, which limits connections and keeps the order of their
   * requests. Absent: the server listens itself.
   */
  readonly inProgress?: RequestsInProgress | undefined;
}

/** Larger bodies are registered until they are answered. The many small ones do not need it. */
const smallBytes = 64 * 1024;
const lingering = { maxMs: 30_000, maxBytes: 256 * 2 ** 20 };

/** Room for four bodies of the largest size. More are refused while these are processed. */
export const bodiesFor = (bodyLimitBytes: number): BodyBudget =>
  bodyBudget({ maxBytes: 4 * bodyLimitBytes, now: () => performance.now() });

/** The server with its limits, time-outs, and problem documents for everything outside the contract. */
export function createServer(settings: ServerSettings): FastifyInstance {
  const { basePath, bodyLimitBytes, log, newReference, tls, current, callerSecret } = settings;
  const { bodies = bodiesFor(bodyLimitBytes), connections = mostConnections } = settings;
  const match = routeMatcher(basePath);
  const app: FastifyInstance = fastify({
    bodyLimit: bodyLimitBytes,
    ...listenerLimits,
    http: listenerEdges,
    ...(tls === undefined ? {} : { https: { ...listenerEdges, handshakeTimeout: 10_000, ...tls } }),
    forceCloseConnections: "idle",
    // While closing, accepted requests are finished: the contract has no 503 for an event of the floor.
    return503OnClosing: false,
    schemaController: { compilersFactory: noSchemas },
    routerOptions: { caseSensitive: false, ignoreTrailingSlash: true, maxParamLength: 2048 },
    // The library calls it with the raw request before it looks for a route.
    rewriteUrl: (request) => {
      const url = request.url ?? "/";
      // The request is an IncomingMessage; the declared type is a subset of it.
      const raw = request as Parameters<typeof addressFor>[0];
      noteBegin(raw);
      const method = raw.method ?? "GET";
      if (callerSecret !== undefined) takeCaller(raw, callerSecret);
      const snapshot = current?.();
      if (snapshot === undefined) return addressFor(raw, url, match(method, url));
      takeSnapshot(raw, snapshot);
      const answered = callerSecret === undefined ? [] : (callerOf(raw)?.answered ?? []);
      if (answered.length > 0) snapshot.engine.noteArrived(answered);
      const refusal = snapshot.checkHost(raw);
      if (refusal !== null) return addressForRefused(raw, refusal);
      const found = match(method, url);
      const own = found === null ? snapshot.inbound.match(method, url) : null;
      return own === null ? addressFor(raw, url, found) : addressForConfigured(raw, url, own);
    },
    clientErrorHandler: answerClientError(newReference),
  });
  const { tracing } = settings;
  const isTls = tls !== undefined || settings.isBehindTls === true;
  const traceRoute = tracing === undefined ? () => null : requestTracer({ tracing, isTls });
  const { inProgress } = settings;
  if (inProgress === undefined) {
    answerInOrder(app.server, connectionCaps(app.server, connections));
    continueWhenRead(app.server);
  }
  const sweep = setInterval(bodies.sweep, 5_000).unref();
  app.addHook("onClose", (_instance, done) => {
    clearInterval(sweep);
    done();
  });
  const guardSlowBody = slowBodyGuard(app, { maxMs: 30_000, sparedBytes: 1024 * 1024 });
  /** One function for all answers: a function for each would cost as much as a span. */
  function afterAnswer(this: ServerResponse): void {
    leaveSnapshot(this.req);
    if (spanOf(this.req) !== undefined) endSpan(this);
    inProgress?.end(this);
  }
  // A listener of the server itself: a hook of the library would also run for every scan, which has no body.
  app.server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    inProgress?.begin(response);
    response.on("close", afterAnswer);
    if (request.method === "GET") return;
    guardSlowBody(request);
    if (Number(request.headers["content-length"]) <= smallBytes) return;
    rememberResponse(request, response);
    linger(request, response, lingering);
  });

  const problem = (reply: FastifyReply, status: number, detail?: string) =>
    writeAnswer(reply, problemAnswer({ status, ...(detail === undefined ? {} : { detail }), traceId: newReference() }));

  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", bodyParser(bodies));
  const refuseMediaType: preParsingHookHandler = (request, reply, payload, done) => {
    const refusal = mediaTypeRefusal(request);
    if (refusal !== null) {
      problem(reply, 415, refusal);
      return;
    }
    const limit = request.routeOptions.bodyLimit ?? bodyLimitBytes;
    const isAsking = request.headers.expect !== undefined;
    if (isAsking && !(Number(request.headers["content-length"]) > limit)) giveLeave(request.raw);
    done(null, payload);
  };
  // Added to each route with a body. A hook for all routes would also run for every scan.
  app.addHook("onRoute", (route) => {
    const hasBody = takesBody(route);
    const beginSpan = traceRoute(route, hasBody);
    if (!hasBody) return;
    const check: preParsingHookHandler =
      beginSpan === null
        ? refuseMediaType
        : function beginAndCheck(request, reply, payload, done) {
            beginSpan(request);
            return refuseMediaType.call(this, request, reply, payload, done);
          };
    route.preParsing = [check, ...[route.preParsing ?? []].flat()];
  });

  app.setNotFoundHandler((request, reply) => {
    const refusal = refusalOf(request.raw);
    if (refusal !== undefined) return problem(reply, refusal.status, refusal.detail);
    const allow = allowedMethods(request.raw) ?? ownMethods(app, request);
    if (allow === undefined) return problem(reply, 404, "There is no such route. See /docs for those there are.");
    reply.header("allow", allow);
    return problem(reply, 405, `This route accepts ${allow}.`);
  });

  app.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
    const status = error.statusCode ?? 500;
    const isRefused = error instanceof BodyRefused;
    // The library would close the connection of a client that is still sending; `linger` limits that client instead.
    if (status === 413 || isRefused) reply.removeHeader("connection");
    if (isRefused) {
      reply.header("retry-after", "5");
      return problem(reply, 503, error.message);
    }
    if (status === 413) {
      const limit = request.routeOptions.bodyLimit ?? bodyLimitBytes;
      return problem(reply, 413, `The body is larger than ${sizeText(limit)}.`);
    }
    if (status >= 400 && status < 500) return problem(reply, status, error.message);
    const traceId = newReference();
    log.error({ method: request.method, reference: traceId, err: error }, "the request failed");
    return writeAnswer(reply, problemAnswer({ status: 500, detail: "See the log for this reference.", traceId }));
  });
  return app;
}

const takesBody = ({ method }: RouteOptions): boolean =>
  ![method].flat().every((one) => one === "GET" || one === "HEAD");

/**
 * Our routes check their input themselves. Without these, the library loads its own validator and serializer, a hundred
 * modules, at every start.
 */
const refuseSchemas = () => {
  throw new Error("a route has a schema, but schemas are not compiled here");
};
const noSchemas = { buildValidator: refuseSchemas, buildSerializer: refuseSchemas };

declare module "fastify" {
  interface FastifyContextConfig {
    /** Whether the body is a file of any kind. */
    readonly takesFiles?: boolean;
  }
}

/** The parser reads only UTF-8 JSON; a body declared as something else is refused. */
function mediaTypeRefusal(request: FastifyRequest): string | null {
  const { "content-type": contentType, "content-encoding": encoding, "content-length": length } = request.headers;
  const hasBody = (length !== undefined && length !== "0") || request.headers["transfer-encoding"] !== undefined;
  if (!hasBody) return null;
  if (encoding !== undefined && encoding !== "identity") return "Compressed bodies are not accepted.";
  // The route's format decides how the body is read; senders declare XML and CSV in many ways.
  if (isConfigured(request.raw) || request.routeOptions.config.takesFiles === true) {
    return /^multipart\//i.test(contentType ?? "") ? "Send the body itself, not as multipart." : null;
  }
  const [type = "", ...parameters] = (contentType ?? "").toLowerCase().split(";");
  if (type.trim() !== "application/json") return "Send the body as application/json; charset=utf-8.";
  const charset = parameters.map((parameter) => /^\s*charset\s*=\s*"?([^"]*)"?\s*$/.exec(parameter)?.[1]).find(Boolean);
  if (charset !== undefined && charset !== "utf-8" && charset !== "utf8") return "Only charset=utf-8 is accepted.";
  return null;
}

/** Returns the methods of one of our own routes that was called with a wrong one. */
function ownMethods(app: FastifyInstance, request: FastifyRequest): string | undefined {
  const [url = ""] = request.url.split("?");
  const allowed = (["GET", "HEAD", "POST", "DELETE"] as const).filter(
    (method) => app.findRoute({ method, url }) !== null,
  );
  return allowed.length === 0 ? undefined : allowed.join(", ");
}

const sizeText = (bytes: number): string =>
  bytes < 2 ** 20 ? `${Math.floor(bytes / 2 ** 10)} KiB` : `${Math.floor(bytes / 2 ** 20)} MiB`;
