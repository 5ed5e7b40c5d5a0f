import type { FastifyInstance } from "fastify";
import { operationIds, operationRow } from "../contract/operations.ts";
import { type OpenRoutes, writeRefusal } from "./auth/sender-check.ts";
import { routePath, snapshotOf } from "./connection/request-marks.ts";

export interface PlatformAuthNeeds {
  readonly basePath: string;
  readonly newReference: () => string;
}

/** Rejects all callers but the platform on the contract's routes, before a body is read. */
export function platformAuth(app: FastifyInstance, { basePath, newReference }: PlatformAuthNeeds): void {
  const kinds = new Map<string, OpenRoutes | "contract">(
    operationIds.map((id) => [routePath(id), operationRow(id).budget === "none" ? "status" : "contract"]),
  );
  const own: readonly (readonly [prefix: string, kind: OpenRoutes])[] = [
    [`${basePath}/health/`, "health"],
    [`${basePath}/metrics`, "health"],
    [`${basePath}/docs`, "docs"],
    [`${basePath}/openapi.json`, "docs"],
  ];
  const kindOf = (url: string) => kinds.get(url) ?? own.find(([prefix]) => url.startsWith(prefix))?.[1];

  app.addHook("onRequest", (request, reply, done) => {
    const { platform: active } = snapshotOf(request.raw);
    const { url } = request.routeOptions;
    const kind = active === null || url === undefined ? undefined : kindOf(url);
    if (active === null || kind === undefined) return done();
    if (kind !== "contract" && active.openRoutes.includes(kind)) return done();
    active.judge(request).then((refused) => {
      if (refused === null) done();
      else writeRefusal(reply, refused, newReference);
    }, done);
  });
}
