import type { FastifyInstance } from "fastify";
import type { FallbackState } from "../../engine/fallback/guard-queries.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { chooseLanguage } from "../../messages/choose-language.ts";
import { localise } from "../../messages/localise.ts";
import type { OperatorText } from "../../messages/message.ts";
import { jsonContentType } from "../contract/answer.ts";

export interface Readiness {
  readonly ready: boolean;
  /** Why the adapter is not ready, in words; empty if it is. */
  readonly reasons: readonly string[];
  /** Queries answered from fallback data. They are answered, so traffic should still come here. */
  readonly fallback?: readonly { readonly connector: string; readonly capability: string; readonly since: string }[];
  /** Active alarms. Another instance would have the same, so traffic should still come here. */
  readonly alarms?: readonly ReadyAlarm[];
  /** The deployment that this process owns in a PostgreSQL, and since which change of the owner. */
  readonly owner?: { readonly deployment: string; readonly epoch: number } | undefined;
}

/** No orders and no answers of external systems: the route needs no key. */
export interface ReadyAlarm {
  readonly alarm: string;
  readonly subject: string;
  readonly since: string;
  readonly text: OperatorText;
}

/** For process supervisors and load balancers; they need no key and learn no secret. */
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

const contentType = "text/plain; version=0.0.4; charset=utf-8";
/** More frequent requests get the same text: counting the journal must not become a way to keep it busy. */
const keptMs = 1_000;

/** Metrics for Prometheus and compatible tools. No key: they contain no order, no person and no secret. */
export function metricsRoutes(
  app: FastifyInstance,
  { basePath, clock, text }: { basePath: string; clock: Clock; text: () => string },
): void {
  let kept: { readonly at: number; readonly text: string } | null = null;
  app.get(`${basePath}/metrics`, (_request, reply) => {
    const now = clock.now();
    if (kept === null || now - kept.at >= keptMs || now < kept.at) kept = { at: now, text: text() };
    return reply.header("content-type", contentType).header("cache-control", "no-store").send(kept.text);
  });
}

/** Whether traffic should come here now. Fallback data and alarms are included, but do not make it not ready. */
export function readinessOf(now: {
  readonly isClosing: boolean;
  /** Why nothing can be written any more; null while it can. */
  readonly journalFailure: string | null;
  /** Why the disk refused the last write; null if it was stored. */
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
