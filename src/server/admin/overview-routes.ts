import type { FastifyInstance } from "fastify";
import { readQuery } from "../../contract/derive/match-route.ts";
import type { ActionLog } from "../../engine/audit/open-action-log.ts";
import type { TargetOverview } from "../../engine/delivery/outbox.ts";
import { type FigureRange, type FigureSeries, figureRanges } from "../../engine/figures/figure.ts";
import type { Overview } from "../../engine/journal-view/open-overview.ts";
import { chooseLanguage } from "../../messages/choose-language.ts";
import type { Language } from "../../messages/languages.ts";
import { writeAnswer } from "../contract/answer.ts";
import { send } from "./admin-exchange.ts";
import type { AdminGate } from "./admin-gate.ts";
import { adminProblem } from "./admin-problem.ts";

/** One connected system. */
export interface ConnectorView extends Partial<Omit<TargetOverview, "target" | "oldestAt">> {
  readonly name: string;
  readonly type: string;
  /** The capabilities that this system serves. */
  readonly serves: readonly string[];
  readonly oldestAt: string | null;
  /** The capabilities whose queries it does not answer at the moment, and since when. */
  readonly unanswered: readonly { readonly capability: string; readonly since: string }[];
  readonly lastError: { readonly text: string; readonly status: number | null; readonly at: string } | null;
}

/** One endpoint of the contract, and what serves it. */
export interface EndpointView {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly kind: string;
  /** The name of a connector, `embedded`, or `none`. */
  readonly servedBy: string;
}

/** The state of the whole adapter. Times are ISO 8601 in UTC. */
export interface AdapterOverview {
  readonly version: string;
  readonly startedAt: string;
  readonly store: string;
  /** The deployment that this process owns in a PostgreSQL database; null with a data folder of its own. */
  readonly owner: { readonly deployment: string; readonly epoch: number } | null;
  readonly ready: boolean;
  readonly reasons: readonly string[];
  readonly alarms: readonly {
    readonly alarm: string;
    readonly subject: string;
    readonly since: string;
    readonly text: string;
  }[];
  readonly entries: ReturnType<Overview["targets"]>["entries"];
  readonly oldestWaitingAt: string | null;
  readonly quarantine: number;
  readonly connectors: readonly ConnectorView[];
  readonly endpoints: readonly EndpointView[];
}

const shownActions = 200;

export interface OverviewRouteNeeds {
  readonly gate: AdminGate;
  readonly view: (language: Language) => Promise<AdapterOverview>;
  readonly series: (range: FigureRange) => FigureSeries;
  readonly actions: Pick<ActionLog, "list">;
  readonly basePath: string;
  readonly newReference: () => string;
}

/** The adapter as a whole: what is connected, what waits, what is wrong, and how much passes. */
export function overviewRoutes(app: FastifyInstance, needs: OverviewRouteNeeds): void {
  const { gate, view, series, basePath, newReference } = needs;
  app.get(
    `${basePath}/admin/overview`,
    { onRequest: gate.routeCheck("GET /admin/overview") },
    async (request, reply) => {
      reply.header("cache-control", "no-store").header("x-content-type-options", "nosniff");
      return send(reply, await view(chooseLanguage(request.headers["accept-language"])));
    },
  );
  app.get(`${basePath}/admin/audit`, { onRequest: gate.routeCheck("GET /admin/audit") }, (_request, reply) => {
    reply.header("cache-control", "no-store").header("x-content-type-options", "nosniff");
    return send(reply, { actions: needs.actions.list(shownActions) });
  });
  app.get(`${basePath}/admin/figures`, { onRequest: gate.routeCheck("GET /admin/figures") }, (request, reply) => {
    reply.header("cache-control", "no-store").header("x-content-type-options", "nosniff");
    const [, rawQuery = ""] = request.url.split("?", 2);
    const given = readQuery(rawQuery).get("range") ?? figureRanges[0];
    const range = figureRanges.find((known) => known === given);
    if (range !== undefined) return send(reply, series(range));
    const errors = { range: [`must be one of ${figureRanges.join(", ")}`] };
    return writeAnswer(
      reply,
      adminProblem({ status: 400, detail: "Nothing was done.", errors, traceId: newReference() }),
    );
  });
}
