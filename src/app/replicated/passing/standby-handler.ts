import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Config } from "../../../config/config-schema.ts";
import { routeMatcher } from "../../../contract/derive/match-route.ts";
import type { Operation } from "../../../contract/operation.ts";
import { operationRow } from "../../../contract/operations.ts";
import { openProcessMetrics, roleMetrics } from "../../../engine/metrics/metrics.ts";
import { budgetMs } from "../../../engine/queries/call.ts";
import type { StandbyView } from "../../../replication/standby/standby.ts";
import { callerOf, notOwnerHeader, takeCaller } from "../../../server/connection/passed-on.ts";
import type { Answer } from "../../../server/contract/answer.ts";
import { metricsContentType, metricsFormat } from "../../../server/ops/health-routes.ts";
import type { Mount } from "../../listener/mount.ts";
import { pushWaitMs, shortestWaitMs } from "../../listener/wait-limits.ts";
import { metricsText } from "../../open-metrics.ts";
import { versionInfo } from "../../version-info.ts";
import type { PassedAnswers } from "../answers/passed-answers.ts";
import { reportAnswers } from "../answers/report-answers.ts";
import { type PassOnLimits, type PassOnNeeds, passOn, trustInOwner } from "./pass-on.ts";
import { unreachedAnswer } from "./unreached-answer.ts";

/** Answers the requests of a process while another one owns the deployment. */
export interface StandbyHandler {
  readonly handle: RequestListener;
  /** How many requests wait for the answer of an owner. */
  readonly waiting: () => number;
  /** Answers no more requests for metrics, and reports no more answers. Waiting requests continue. */
  readonly end: () => void;
}

export interface StandbyHandlerNeeds {
  readonly config: Pick<Config, "basePath" | "budgets" | "platform" | "timeZone">;
  readonly view: () => StandbyView;
  readonly secret: () => string;
  readonly answers: PassedAnswers;
  readonly mount: Pick<Mount, "name" | "certificate" | "waitMs">;
  /** Called when no owner took a request in its time. */
  readonly onNobody?: () => void;
}

/** How often answers are reported, so that a new owner knows them before an equal second piece arrives. */
const reportEveryMs = 50;
const json = { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" };

/**
 * Answers health checks and metrics itself and passes everything else on to the owner, so that callers may use any
 * process.
 */
export function standbyHandler(needs: StandbyHandlerNeeds): StandbyHandler {
  const { config, view, secret, answers, mount } = needs;
  const { basePath, budgets, platform } = config;
  const match = routeMatcher(basePath);
  const { certificate, waitMs } = mount;
  // If metrics need a key, the owner checks it.
  const isOpenToAll = platform.auth === undefined || platform.openRoutes.includes("health");
  const metrics = mount.name === undefined && isOpenToAll ? standbyMetrics(view) : null;

  const passing: PassOnNeeds = {
    view,
    answers,
    get secret() {
      return secret();
    },
    trust: certificate === undefined ? null : trustInOwner(certificate),
  };
  const send = passOn(passing);
  let waiting = 0;
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
    waiting++;
    const passed = await send(request, response, limitsOf(row, request)).finally(() => waiting--);
    if (passed === "answered") return;
    request.resume();
    needs.onNobody?.();
    // Closed without an answer, as if the process had been killed: the platform sends the event again, and it is
    // recognised.
    if (response.headersSent || passed === "doubtful") return void response.destroy();
    write(response, unreachedAnswer(row, request, { since: view().troubleSince, timeZone: config.timeZone }));
  };

  const repeatableOther = ({ method, url }: IncomingMessage): PassOnLimits["repeatable"] => {
    // Reading changes nothing, so the request can be repeated.
    if (method === "GET") return "query";
    return method === "POST" && url?.startsWith(`${basePath}/inbound/`) ? "push" : null;
  };
  const limitsOf = (row: Operation | null, request: IncomingMessage): PassOnLimits => {
    if (row !== null && row.budget !== "none")
      return { budgetMs: Math.max(budgetMs(row, budgets), waitMs), repeatable: row.kind };
    const repeatable = repeatableOther(request);
    return { budgetMs: repeatable === "push" ? pushWaitMs : shortestWaitMs, repeatable };
  };

  return {
    handle: (request, response) => {
      answer(request, response).catch(() => response.destroy());
    },
    waiting: () => waiting,
    end: () => {
      clearInterval(reporting);
      metrics?.close();
    },
  };
}

function readiness({ owner, ownerUrl, behind, position, differs, trouble, troubleSince }: StandbyView) {
  const since = troubleSince === null ? "" : ` (since ${new Date(troubleSince).toISOString()})`;
  const reason = trouble === null ? `standby; ${owner ?? "nobody"} owns the deployment` : `standby: ${trouble}${since}`;
  const different = differs.length === 0 ? [] : [`its configuration differs from the owner's: ${differs.join(", ")}`];
  return { ready: false, reasons: [reason, ...different], standby: { owner, ownerUrl, behind, position } };
}

/** Answers with the metrics of this process only: the owner's metrics would be counted once per process. */
function standbyMetrics(view: () => StandbyView) {
  const meters = openProcessMetrics({ version: versionInfo().version });
  return {
    answer: ({ headers }: IncomingMessage, response: ServerResponse) => {
      const format = metricsFormat(headers.accept);
      const text = metricsText([...roleMetrics(view()), ...meters.metrics()], format);
      response.writeHead(200, { "content-type": metricsContentType[format], "cache-control": "no-store" }).end(text);
    },
    close: meters.close,
  };
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
