import type { FastifyInstance } from "fastify";
import { jsonContentType } from "./answer.ts";

export interface Readiness {
  readonly ready: boolean;
  /** What is not as it should be, in words; empty when ready. */
  readonly reasons: readonly string[];
  /** Questions that are answered from last known data; they are answered, so this is no reason to send traffic away. */
  readonly island?: readonly { readonly connector: string; readonly capability: string; readonly since: string }[];
}

/** For process supervisors and load balancers; they need no key and learn no secret. */
export function healthRoutes(app: FastifyInstance, needs: { basePath: string; readiness: () => Readiness }): void {
  app.get(`${needs.basePath}/health/live`, (_request, reply) =>
    reply.header("content-type", jsonContentType).send('{"live":true}'),
  );
  app.get(`${needs.basePath}/health/ready`, (_request, reply) => {
    const readiness = needs.readiness();
    return reply
      .status(readiness.ready ? 200 : 503)
      .header("content-type", jsonContentType)
      .send(JSON.stringify(readiness));
  });
}
