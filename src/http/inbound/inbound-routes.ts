import type { FastifyInstance, FastifyRequest } from "fastify";
import { pushRow, pushTopics } from "../../contract/pushes.ts";
import { pushDesk } from "../../engine/idempotency/push-desk.ts";
import { configuredOf, configuredPath } from "../internal-address.ts";
import { problemAnswer } from "../problem-details.ts";
import { writeRefusal } from "../senders/write-refusal.ts";
import { snapshotOf } from "../server-snapshot.ts";
import { writeAnswer } from "../write-answer.ts";
import { type InboundRoute, routeName } from "./inbound-route.ts";
import { type ReceiveNeeds, receiver, tooLarge } from "./receive.ts";

export interface InboundNeeds extends Omit<ReceiveNeeds, "desk"> {
  readonly basePath: string;
}

/** Pushes of the external system: our own routes, so real status codes apply. Taken over is 202, and durable. */
export function inboundRoutes(app: FastifyInstance, needs: InboundNeeds): void {
  const { newReference } = needs;
  const receive = receiver({ ...needs, desk: pushDesk() });

  const add = (method: readonly string[], url: string, routeOf: (request: FastifyRequest) => InboundRoute) =>
    app.route({
      method: [...method],
      url,
      // Before the body is read: a stranger must not make us take in 64 MiB.
      onRequest: async (request, reply) => {
        const refused = await snapshotOf(request.raw).senders.beforeBody(request);
        if (refused !== null) return writeRefusal(reply, refused, newReference);
        const route = routeOf(request);
        if (route.limitBytes === null || !(Number(request.headers["content-length"]) > route.limitBytes))
          return undefined;
        return writeAnswer(reply, problemAnswer({ status: 413, detail: tooLarge(route), traceId: newReference() }));
      },
      handler: (request, reply) => receive(routeOf(request), request, reply),
    });

  for (const topic of pushTopics) {
    const { path } = pushRow(topic);
    const name = routeName("POST", path);
    add(["POST"], needs.basePath + path, (request) => {
      const route = snapshotOf(request.raw).inbound.defaults.get(name);
      if (route === undefined) throw new Error(`the route ${name} is in no table`);
      return route;
    });
  }
  // One for all that are configured: they come and go with the configuration, and routes of the library do not.
  add(["POST", "PUT", "PATCH"], configuredPath, (request) => configuredOf<InboundRoute>(request.raw));
}
