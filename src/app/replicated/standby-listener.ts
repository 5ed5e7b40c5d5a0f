import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { Config } from "../../config/config-schema.ts";
import { routeMatcher } from "../../contract/derive/match-route.ts";
import type { Operation } from "../../contract/operation.ts";
import { operationRow } from "../../contract/operations.ts";
import { budgetMs, unreachable } from "../../engine/queries/call.ts";
import { newReference } from "../../kit/ids.ts";
import type { Log } from "../../kit/log.ts";
import { systemClock } from "../../kit/time/clock.ts";
import { systemTimers } from "../../kit/time/timers.ts";
import { chooseLanguage } from "../../messages/choose-language.ts";
import { say } from "../../messages/message.ts";
import type { StandbyView } from "../../replication/standby/standby.ts";
import { callerOf, notOwnerHeader, takeCaller } from "../../server/connection/passed-on.ts";
import { type Answer, answerOutcome, problemAnswer } from "../../server/contract/answer.ts";
import { within10s } from "../../server/create-listener.ts";
import { metricsContentType, metricsFormat } from "../../server/ops/health-routes.ts";
import type { Mount } from "../deployments/mount.ts";
import { metricsText, openProcessMetrics, roleMetrics } from "../open-metrics.ts";
import { tlsListener } from "../tls-listener.ts";
import { versionInfo } from "../version-info.ts";
import type { PassedAnswers } from "./answers/passed-answers.ts";
import { reportAnswers } from "./answers/report-answers.ts";
import { type PassOnLimits, type PassOnNeeds, passOn } from "./pass-on.ts";
import { trustInOwner } from "./trust-in-owner.ts";

/** The listener of a process while another one owns the deployment. */
export interface StandbyListener {
  readonly url: string;
  /**
   * Accepts no more requests, so that the port is free. Waiting requests continue, and are passed on to the next owner.
   */
  readonly close: () => void;
  /** Ends requests that are still in progress; settles when there are none. */
  readonly end: () => Promise<void>;
}

export interface StandbyListenerNeeds {
  readonly host: string;
  readonly port: number;
  readonly config: Config;
  readonly view: () => StandbyView;
  readonly secret: () => string;
  readonly answers: PassedAnswers;
  readonly log: Log;
  /** Takes requests from a listener that serves several adapters; absent: the process listens itself. */
  readonly mount?: Mount | undefined;
}

/** How long requests that are being passed on may finish when this process stops. */
const finishMs = 500;
/** How often answers are reported, so that a new owner knows them before an equal second piece arrives. */
const reportEveryMs = 50;
/** The time budget for routes that are not in the contract. */
const otherBudgetMs = 5_000;
const json = { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" };

/**
 * Answers health checks and metrics itself and passes everything else on to the owner, so that callers may use any
 * process.
 */
export async function openStandbyListener(needs: StandbyListenerNeeds): Promise<StandbyListener> {
  const { host, port, config, view, secret, answers, log, mount } = needs;
  const { basePath, budgets, platform } = config;
  const match = routeMatcher(basePath);
  const certificate = mount === undefined ? platform.tls?.cert : mount.certificate;
  const tls = platform.tls === undefined ? null : tlsListener({ files: platform.tls, timers: systemTimers, log });
  // If metrics need a key, the owner checks it.
  const isOpenToAll = platform.auth === undefined || platform.openRoutes.includes("health");
  const metrics = mount === undefined && isOpenToAll ? standbyMetrics(view) : null;
  let isClosing = false;

  const passing: PassOnNeeds = {
    view,
    answers,
    get secret() {
      return secret();
    },
    trust: certificate === undefined ? null : trustInOwner(certificate),
  };
  const send = passOn(passing);
  const reporting = setInterval(() => reportAnswers(passing, `${basePath}/health/live`), reportEveryMs).unref();

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    takeCaller(request, secret());
    if (callerOf(request) !== undefined) {
      // Another standby passed this request on. It is refused here, because that standby finds the owner sooner than a
      // request that goes in a circle.
      request.resume();
      return void response.writeHead(503, { ...json, [notOwnerHeader]: "1" }).end("{}");
    }
    const path = request.url?.split("?")[0];
    if (path === `${basePath}/health/live`) return void response.writeHead(200, json).end('{"live":true}');
    if (path === `${basePath}/health/ready`) {
      return void response.writeHead(503, json).end(JSON.stringify(readiness(view())));
    }
    if (metrics !== null && path === `${basePath}/metrics`) return void metrics.answer(request, response);
    const found = match(request.method ?? "GET", request.url ?? "/");
    const row = found !== null && "id" in found ? operationRow(found.id) : null;
    const passed = await send(request, response, limitsOf(row, request));
    if (passed === "answered") return;
    request.resume();
    // Closed without an answer, as if the process had been killed: the platform sends the event again, and it is
    // recognised.
    if (response.headersSent || passed === "doubtful") return void response.destroy();
    write(response, failureOf(row, request));
  };

  const repeatableOther = ({ method, url }: IncomingMessage): PassOnLimits["repeatable"] => {
    // Reading changes nothing, so the request can be repeated.
    if (method === "GET") return "query";
    return method === "POST" && url?.startsWith(`${basePath}/inbound/`) ? "push" : null;
  };
  const limitsOf = (row: Operation | null, request: IncomingMessage): PassOnLimits =>
    row === null || row.budget === "none"
      ? { budgetMs: Math.max(otherBudgetMs, mount?.waitMs ?? 0), repeatable: repeatableOther(request) }
      : { budgetMs: Math.max(budgetMs(row, budgets), mount?.waitMs ?? 0), repeatable: row.kind };

  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    // The connection belongs to this listener, and would keep it open.
    response.shouldKeepAlive &&= !isClosing;
    answer(request, response).catch(() => response.destroy());
  };
  if (mount !== undefined) {
    // The handler stays until another one replaces it, so that no request comes between the two.
    mount.serve(onRequest);
    const stop = () => clearInterval(reporting);
    return { url: mount.url, close: stop, end: async () => stop() };
  }
  const server =
    tls === null ? createServer(within10s, onRequest) : createSecureServer({ ...within10s, ...tls.options }, onRequest);
  if (tls !== null && "setSecureContext" in server) tls.follow(server);
  await listening(server, { host, port });
  // A server on a port has an address of this kind.
  const { port: bound } = server.address() as { port: number };
  const closed = new Promise<void>((resolve) => server.once("close", resolve));
  const close = () => {
    if (isClosing) return;
    isClosing = true;
    clearInterval(reporting);
    metrics?.close();
    tls?.stop();
    server.close();
    server.closeIdleConnections();
  };
  return {
    url: `${tls === null ? "http" : "https"}://${host.includes(":") ? `[${host}]` : host}:${bound}${basePath}`,
    close,
    end: async () => {
      close();
      const closing = setTimeout(() => server.closeAllConnections(), finishMs);
      await closed;
      clearTimeout(closing);
    },
  };
}

function readiness({ owner, ownerUrl, behind, position, differs, trouble }: StandbyView) {
  const reason = trouble === null ? `standby; ${owner ?? "nobody"} owns the deployment` : `standby: ${trouble}`;
  const different = differs.length === 0 ? [] : [`its configuration differs from the owner's: ${differs.join(", ")}`];
  return { ready: false, reasons: [reason, ...different], standby: { owner, ownerUrl, behind, position } };
}

/** Answers with the metrics of this process only: the owner's metrics would be counted once per process. */
function standbyMetrics(view: () => StandbyView) {
  const meters = openProcessMetrics({ clock: systemClock, version: versionInfo().version });
  return {
    answer: ({ headers }: IncomingMessage, response: ServerResponse) => {
      const format = metricsFormat(headers.accept);
      const text = metricsText([...roleMetrics(view()), ...meters.metrics()], format);
      response.writeHead(200, { "content-type": metricsContentType[format], "cache-control": "no-store" }).end(text);
    },
    close: meters.close,
  };
}

/** The failure as the contract defines it for this row; problem details for everything else. */
function failureOf(row: Operation | null, { headers }: IncomingMessage): Answer {
  if (row === null || row.budget === "none") {
    return problemAnswer({
      status: 503,
      detail: "No owner of the deployment can be reached.",
      traceId: newReference(),
    });
  }
  const language = chooseLanguage(headers["accept-language"]);
  return answerOutcome(row, unreachable(row, say("general.taking-over")), language);
}

function write(response: ServerResponse, { status, contentType, body }: Answer): void {
  const text = typeof body === "string" ? body : "";
  response.writeHead(status, {
    ...{ "content-type": contentType, "cache-control": "no-store" },
    // As an owner's answers have it: without it Node would send the text in chunks.
    "content-length": Buffer.byteLength(text),
    ...(status === 503 ? { "retry-after": "1" } : {}),
  });
  response.end(text);
}

function listening(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve());
  });
}
