import type { IncomingMessage, ServerResponse } from "node:http";
import type { Metric } from "../../engine/metrics/exposition.ts";
import { gauge, openProcessMetrics } from "../../engine/metrics/metrics.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { failureDelays } from "../../server/auth/failure-delays.ts";
import { secretMatcher } from "../../server/auth/sender-check.ts";
import { jsonContentType } from "../../server/contract/answer.ts";
import { metricsContentType, metricsFormat } from "../../server/ops/health-routes.ts";
import { metricsText } from "../open-metrics.ts";
import type { Telemetry } from "../telemetry/open-telemetry.ts";
import { versionInfo } from "../version-info.ts";
import { processPath } from "./deployment-problems.ts";
import { writeProblem as problem, writePlain } from "./gate/unavailable-answer.ts";
import type { Group, Member } from "./group/group.ts";
import { answerTakeOver, takeOverPath } from "./take-over-route.ts";

export interface ProcessRoutes {
  /** False if the request is not for the process itself. */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Answers a request that belongs to no deployment. */
  readonly unknown: (request: IncomingMessage, response: ServerResponse) => void;
  /** Answers requests that must not open a deployment; false if the deployment has to answer. */
  readonly answerAsleep: (member: Member, request: IncomingMessage, response: ServerResponse) => boolean;
  readonly close: () => void;
}

export interface ProcessRouteNeeds {
  /** The key of the process, which gives access to the view of all deployments. */
  readonly apiKey: string;
  readonly clock: Clock;
  readonly group: Pick<Group, "view" | "members" | "takeOver" | "missing" | "storeTrouble">;
  readonly telemetry?: Pick<Telemetry, "send" | "metrics"> | undefined;
}

/** The routes that the process itself answers, below `/deployments` and where there is no deployment. */
export function openProcessRoutes({ apiKey, clock, group, telemetry }: ProcessRouteNeeds): ProcessRoutes {
  const isKey = secretMatcher([apiKey]);
  const delays = failureDelays({ clock });
  const meters = openProcessMetrics({ version: versionInfo().version });

  /** Whether the caller has the key of the process; answers one that has not. */
  const isAllowed = (request: IncomingMessage, response: ServerResponse): boolean => {
    const { authorization = "", "x-api-key": plain } = request.headers;
    const given = typeof plain === "string" ? plain : authorization.replace(/^Bearer /i, "");
    const place = { address: request.socket.remoteAddress ?? "" };
    const waitSeconds = delays.waitSeconds(place);
    if (waitSeconds > 0) {
      response.setHeader("retry-after", String(waitSeconds));
      problem(request, response, 429, "Too many wrong keys came from this address.");
      return false;
    }
    if (!isKey(given)) {
      delays.failed(place);
      response.setHeader("www-authenticate", "Bearer");
      problem(request, response, 401, "Send the API key of the process.");
      return false;
    }
    return true;
  };
  const guarded = (request: IncomingMessage, response: ServerResponse, answer: () => [type: string, body: string]) => {
    if (!isAllowed(request, response)) return;
    const [contentType, body] = answer();
    writePlain(request, response, { status: 200, contentType, body });
  };
  const json = (request: IncomingMessage, response: ServerResponse, body: object) =>
    writePlain(request, response, { status: 200, contentType: jsonContentType, body: JSON.stringify(body) });

  const metrics = (process: ReturnType<typeof openProcessMetrics>): readonly Metric[] => {
    const states = group.view().map(({ name, state }) => ({
      labels: { deployment: name },
      value: state === "open" ? 1 : 0,
    }));
    const own = [...group.members()].flatMap((one) => one.opened()?.metrics() ?? []);
    return [
      gauge("crossdock_deployment_open", "Whether the deployment is open.", states),
      ...merged(own),
      ...process.metrics(),
      ...(telemetry?.metrics() ?? []),
    ];
  };
  // Each reader has its own measurement of the event loop, because a measurement restarts when it is read.
  const sentMeters = telemetry && openProcessMetrics({ version: versionInfo().version });
  const endSending = sentMeters && telemetry?.send(() => metrics(sentMeters));
  const written = (request: IncomingMessage, list: readonly Metric[]): [type: string, body: string] => {
    const format = metricsFormat(request.headers.accept);
    return [metricsContentType[format], metricsText(list, format)];
  };

  const missing = () =>
    (group.missing()?.served() ?? []).map(({ name, basePath, owner, ownerUrl }) => ({
      name,
      basePath,
      owner,
      ownerUrl,
    }));
  /** Answers for what is not open. Without PostgreSQL the next request would be refused. */
  const answerReady = (request: IncomingMessage, response: ServerResponse, more: object) => {
    const trouble = group.storeTrouble();
    const body = { ready: trouble === null, reasons: trouble === null ? [] : [trouble], ...more };
    const status = trouble === null ? 200 : 503;
    writePlain(request, response, { status, contentType: jsonContentType, body: JSON.stringify(body) });
  };
  /** The process is ready, also if it lacks a configuration: it passes those requests on. */
  const answerReadyProcess = (request: IncomingMessage, response: ServerResponse) => {
    const names = missing().map(({ name }) => name);
    answerReady(request, response, names.length === 0 ? {} : { withoutConfiguration: names });
  };

  return {
    handle: (request, response) => {
      const path = pathOf(request);
      if (path !== processPath && !path.startsWith(`${processPath}/`)) return false;
      if (path === takeOverPath) {
        if (request.method !== "POST") {
          response.setHeader("allow", "POST");
          problem(request, response, 405, "This route accepts POST.");
        } else if (isAllowed(request, response)) void answerTakeOver(request, response, group.takeOver);
      } else if (request.method !== "GET" && request.method !== "HEAD") {
        response.setHeader("allow", "GET, HEAD");
        problem(request, response, 405, "This route accepts GET, HEAD.");
      } else if (path === `${processPath}/status`) {
        guarded(request, response, () => [
          jsonContentType,
          JSON.stringify({ deployments: group.view(), withoutConfiguration: missing() }),
        ]);
      } else if (path === `${processPath}/metrics`) {
        guarded(request, response, () => written(request, metrics(meters)));
      } else if (path === `${processPath}/live`) json(request, response, { live: true });
      else if (path === `${processPath}/ready`) answerReadyProcess(request, response);
      else problem(request, response, 404, "There is no such route.");
      return true;
    },
    unknown: (request, response) => {
      const path = pathOf(request);
      if (path === "/health/live") json(request, response, { live: true });
      else if (path === "/health/ready") answerReadyProcess(request, response);
      else void passOnOrRefuse(request, response, group.missing());
    },
    answerAsleep: (member, request, response) => {
      if (member.state() !== "asleep" || (request.method !== "GET" && request.method !== "HEAD")) return false;
      const path = pathOf(request).slice(member.basePath.length);
      const failure = member.failure();
      if (path === "/health/live") json(request, response, { live: true });
      else if (path === "/health/ready" && failure === null) {
        answerReady(request, response, { asleep: true });
      } else if (path === "/metrics") {
        const closed = [{ labels: { deployment: member.name }, value: 0 }];
        const list = [gauge("crossdock_deployment_open", "Whether the deployment is open.", closed)];
        const [contentType, body] = written(request, list);
        writePlain(request, response, { status: 200, contentType, body });
      } else return false;
      return true;
    },
    close: () => {
      endSending?.();
      sentMeters?.close();
      meters.close();
    },
  };
}

async function passOnOrRefuse(
  request: IncomingMessage,
  response: ServerResponse,
  missing: ReturnType<Group["missing"]>,
): Promise<void> {
  if ((await missing?.handle(request, response)) === true) return;
  problem(request, response, 404, "There is no deployment at this address.");
}

const pathOf = ({ url = "/" }: IncomingMessage): string => (url.split("?", 1)[0] ?? "").toLowerCase();

/** Merges the metrics of all deployments, because a metric may appear only once. */
function merged(metrics: readonly Metric[]): Metric[] {
  const byName = new Map<string, Metric>();
  for (const metric of metrics) {
    const before = byName.get(metric.name);
    byName.set(metric.name, before ? { ...before, samples: [...before.samples, ...metric.samples] } : metric);
  }
  return [...byName.values()];
}
