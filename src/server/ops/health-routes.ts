import type { FastifyInstance } from "fastify";
import type { FallbackState } from "../../engine/fallback/guard-queries.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { chooseLanguage } from "../../messages/choose-language.ts";
import { localise } from "../../messages/localise.ts";
import type { OperatorText } from "../../messages/message.ts";
import { jsonContentType } from "../contract/answer.ts";

export interface Readiness {
  readonly ready: boolean;
  /** Why the adapter is not ready; empty if it is. */
  readonly reasons: readonly string[];
  /** Queries answered from fallback data. They are answered, so traffic should still come here. */
  readonly fallback?: readonly { readonly connector: string; readonly capability: string; readonly since: string }[];
  /** Active alarms. Another instance would have the same, so traffic should still come here. */
  readonly alarms?: readonly ReadyAlarm[];
  /**
   * The deployment that this process owns in a PostgreSQL database, and its epoch, which grows with each change of the
   * owner.
   */
  readonly owner?: { readonly deployment: string; readonly epoch: number } | undefined;
}

/** Contains no orders and no answers of external systems, because the route needs no key. */
export interface ReadyAlarm {
  readonly alarm: string;
  readonly subject: string;
  readonly since: string;
  readonly text: OperatorText;
}

/** Routes for process supervisors and load balancers. They need no key and reveal no secret. */
export function healthRoutes(app: FastifyInstance, needs: { basePath: string; readiness: () => Readiness }): void {
  app.get(`${needs.basePath}/health/live`, (_request, reply) =>
    reply.header("content-type", jsonContentType).send('{"live":true}'),
  );
  app.get(`${needs.basePath}/health/ready`, (request, reply) => {
    const { alarms, ...readiness } = needs.readiness();
    const language = chooseLanguage(request.headers["accept-language"]);
    const localised = alarms?.map((alarm) => ({ ...alarm, text: localise(alarm.text, language) }));
    return reply
      .status(readiness.ready ? 200 : 503)
      .header("content-type", jsonContentType)
      .send(JSON.stringify({ ...readiness, ...(localised === undefined ? {} : { alarms: localised }) }));
  });
}

export type MetricsFormat = "text" | "openmetrics";

export const metricsContentType: Readonly<Record<MetricsFormat, string>> = {
  text: "text/plain; version=0.0.4; charset=utf-8",
  openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

/** Prometheus asks for OpenMetrics first if it can read it. A client that names no format gets the older one. */
export function metricsFormat(accept: string | undefined): MetricsFormat {
  const offers = (accept ?? "").split(",").map((offer) => {
    const [type = "", ...parameters] = offer
      .toLowerCase()
      .split(";")
      .map((part) => part.trim());
    const quality = Number(parameters.find((part) => part.startsWith("q="))?.slice(2) ?? 1);
    return { type, quality: Number.isNaN(quality) ? 0 : quality };
  });
  const best = (wanted: string) =>
    Math.max(0, ...offers.filter(({ type }) => type === wanted).map((one) => one.quality));
  const open = best("application/openmetrics-text");
  return open > 0 && open >= best("text/plain") ? "openmetrics" : "text";
}

/** More frequent requests get the same text: nobody should be able to keep the journal busy by having it counted. */
const keptMs = 1_000;

/** Metrics for Prometheus and compatible tools. No key: they contain no order, no person and no secret. */
export function metricsRoutes(
  app: FastifyInstance,
  { basePath, clock, text }: { basePath: string; clock: Clock; text: (format: MetricsFormat) => string },
): void {
  const kept = new Map<MetricsFormat, { readonly at: number; readonly text: string }>();
  app.get(`${basePath}/metrics`, (request, reply) => {
    const now = clock.now();
    const format = metricsFormat(request.headers.accept);
    let known = kept.get(format);
    if (known === undefined || now - known.at >= keptMs || now < known.at) {
      known = { at: now, text: text(format) };
      kept.set(format, known);
    }
    return reply
      .header("content-type", metricsContentType[format])
      .header("cache-control", "no-store")
      .header("vary", "accept")
      .send(known.text);
  });
}

/**
 * Whether traffic should come here now. Fallback data and alarms are reported, but the adapter still counts as ready.
 */
export function readinessOf(now: {
  readonly isClosing: boolean;
  /** Why nothing can be written any more; null while writing works. */
  readonly journalFailure: string | null;
  /** Why the disk refused the last write; null if that write was stored. */
  readonly refusedWrite: string | null;
  /** Damage found in the database at run time; null if there is none. */
  readonly damage: string | null;
  readonly isDiskFull: boolean;
  readonly fallback: readonly FallbackState[];
  readonly alarms: readonly ReadyAlarm[];
  readonly owner?: Readiness["owner"];
}): Readiness {
  const { journalFailure, alarms } = now;
  const reasons = [
    ...(now.isClosing ? ["stopping"] : []),
    ...(journalFailure === null ? [] : [`${journalFailure}; restart it`]),
    ...(now.refusedWrite === null || now.isDiskFull ? [] : [`events cannot be stored: ${now.refusedWrite}`]),
    ...(now.damage === null
      ? []
      : [`the database is damaged: ${now.damage}; stop the adapter and run crossdock journal recover`]),
    ...(now.isDiskFull ? ["the disk of the data folder is full"] : []),
  ];
  const fallback = now.fallback.map((state) => ({ ...state, since: new Date(state.since).toISOString() }));
  return {
    ready: reasons.length === 0,
    reasons,
    ...(now.owner === undefined ? {} : { owner: now.owner }),
    ...(fallback.length === 0 ? {} : { fallback }),
    ...(alarms.length === 0 ? {} : { alarms }),
  };
}
