import type { FastifyInstance } from "fastify";
import type { Clock } from "../kit/clock.ts";

const contentType = "text/plain; version=0.0.4; charset=utf-8";
/** Whoever asks more often gets the same text: counting the journal must not become a way to keep it busy. */
const keptMs = 1_000;

/** Figures for Prometheus and whatever reads its format. No key: there is no order, no person and no secret in them. */
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
