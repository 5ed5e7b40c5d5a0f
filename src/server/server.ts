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
import { type BodyBudget, bodyBudget, rememberResponse } from "./connection/body-budget.ts";
import { BodyRefused, bodyParser } from "./connection/body-parser.ts";
import { connectionCaps, linger, slowBodyGuard } from "./connection/connection-caps.ts";
import { takeCaller } from "./connection/passed-on.ts";
import {
  addressFor,
  addressForConfigured,
  addressForRefused,
  allowedMethods,
  isConfigured,
  leaveWhenAnswered,
  refusalOf,
  takeSnapshot,
} from "./connection/request-marks.ts";
import { problemAnswer, writeAnswer } from "./contract/answer.ts";
import { answerClientError, listenerEdges, listenerLimits } from "./create-listener.ts";
import type { ServerSnapshot } from "./server-snapshot.ts";

export { within10s } from "./create-listener.ts";

export interface ServerSettings {
  readonly basePath: string;
  readonly bodyLimitBytes: number;
  readonly log: Log;
  readonly newReference: () => string;
  /** The snapshot for a request that arrives now; absent if no route needs it. */
  readonly current?: () => ServerSnapshot;
  /** The limit for all bodies together that are being received or processed. */
  readonly bodies?: BodyBudget;
  readonly connections?: { readonly mostPerAddress: number; readonly mostInAll: number };
  /** With it, other processes of the deployment prove for whom they pass a request on; absent: nobody does. */
  readonly callerSecret?: string | undefined;
  /** Certificates; absent: plain HTTP. */
  readonly tls?: TlsOptions;
}

/** One address may have at most half of them. */
const mostConnections = { mostPerAddress: 500, mostInAll: 1_000 };
/** Larger bodies are registered until they are answered; the many small ones do not need it. */
const smallBytes = 64 * 1024;
const lingering = { maxMs: 30_000, maxBytes: 256 * 2 ** 20 };

/** Four of the largest bodies: more are refused while these are processed. */
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
    // While closing, accepted requests are finished: a 503 to an event of the floor is not in the contract.
    return503OnClosing: false,
    routerOptions: { caseSensitive: false, ignoreTrailingSlash: true, maxParamLength: 2048 },
    // The library calls it with the raw request before it looks for a route.
    rewriteUrl: (request) => {
      const url = request.url ?? "/";
      // It is an IncomingMessage; the declared type is a subset of it.
      const raw = request as Parameters<typeof addressFor>[0];
      const method = raw.method ?? "GET";
      if (callerSecret !== undefined) takeCaller(raw, callerSecret);
      const snapshot = current?.();
      if (snapshot === undefined) return addressFor(raw, url, match(method, url));
      takeSnapshot(raw, snapshot);
      const refusal = snapshot.checkHost(raw);
      if (refusal !== null) return addressForRefused(raw, refusal);
      const found = match(method, url);
      const own = found === null ? snapshot.inbound.match(method, url) : null;
      return own === null ? addressFor(raw, url, found) : addressForConfigured(raw, url, own);
    },
    clientErrorHandler: answerClientError(newReference),
  });
  connectionCaps(app.server, connections);
  const sweep = setInterval(bodies.sweep, 5_000).unref();
  app.addHook("onClose", (_instance, done) => {
    clearInterval(sweep);
    done();
  });
  app.server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    leaveWhenAnswered(request, response);
    if (request.method === "GET" || Number(request.headers["content-length"]) <= smallBytes) return;
    rememberResponse(request, response);
    linger(request, response, lingering);
  });

  const problem = (reply: FastifyReply, status: number, detail?: string) =>
    writeAnswer(reply, problemAnswer({ status, ...(detail === undefined ? {} : { detail }), traceId: newReference() }));

  slowBodyGuard(app, { maxMs: 30_000, sparedBytes: 1024 * 1024 });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", bodyParser(bodies));
  const refuseMediaType: preParsingHookHandler = (request, reply, payload, done) => {
    const refusal = mediaTypeRefusal(request);
    if (refusal === null) return done(null, payload);
    problem(reply, 415, refusal);
  };
  // Per route with a body instead of a hook for all: otherwise it would run for every scan.
  app.addHook("onRoute", (route) => {
    if (takesBody(route)) route.preParsing = [refuseMediaType, ...[route.preParsing ?? []].flat()];
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
    // The library closes the connection of a client that is still sending; `linger` limits that instead.
    if (status === 413 || isRefused) reply.removeHeader("connection");
    if (isRefused) {
      reply.header("retry-after", "5");
      return problem(reply, 503, error.message);
    }
    if (status === 413) {
      const limit = request.routeOptions.bodyLimit ?? bodyLimitBytes;
      return problem(reply, 413, `The body is larger than ${Math.floor(limit / 2 ** 20)} MiB.`);
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

declare module "fastify" {
  interface FastifyContextConfig {
    /** The body is a file of any kind. */
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

/** The methods of one of our own routes that was called with another one. */
function ownMethods(app: FastifyInstance, request: FastifyRequest): string | undefined {
  const [url = ""] = request.url.split("?");
  const allowed = (["GET", "HEAD", "POST", "DELETE"] as const).filter(
    (method) => app.findRoute({ method, url }) !== null,
  );
  return allowed.length === 0 ? undefined : allowed.join(", ");
}
