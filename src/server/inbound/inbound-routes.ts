import type { FastifyInstance, FastifyRequest } from "fastify";
import { type PushProgress, pushProgressPath, pushRow, pushTopics } from "../../contract/pushes.ts";
import { pushProgress } from "../../engine/forward/forwarded.ts";
import { keyedPushes } from "../../engine/intake/keyed-pushes.ts";
import { isRefused, mayPush, writeRefusal } from "../auth/sender-check.ts";
import { configuredOf, configuredPath, snapshotOf } from "../connection/request-marks.ts";
import { jsonContentType, problemAnswer, writeAnswer } from "../contract/answer.ts";
import { type InboundRoute, routeName } from "./inbound-route.ts";
import { type ReceiveNeeds, receiver, tooLarge } from "./receive.ts";

export interface InboundNeeds extends Omit<ReceiveNeeds, "keyed"> {
  readonly basePath: string;
}

/**
 * Routes for pushes of external systems. These are the adapter's own routes, so they use real status codes. 202 means
 * durably stored.
 */
export function inboundRoutes(app: FastifyInstance, needs: InboundNeeds): void {
  const { newReference } = needs;
  const receive = receiver({ ...needs, keyed: keyedPushes() });

  const add = (
    method: readonly string[],
    url: string,
    routeOf: (request: Pick<FastifyRequest, "raw">) => InboundRoute,
  ) =>
    app.route({
      method: [...method],
      url,
      // The name of a route is its method and path.
      config: { tracedAs: (raw) => routeOf({ raw }).name.replace(/^\w+ /, "") },
      // Before the body is read: an unknown caller must not make the adapter receive 64 MiB.
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
  // One library route for all configured ones: those change with the configuration, but routes of the library cannot.
  add(["POST", "PUT", "PATCH"], configuredPath, (request) => configuredOf<InboundRoute>(request.raw));
}

interface ReceiptNeeds {
  readonly read: Parameters<typeof pushProgress>[0];
  readonly basePath: string;
  readonly newReference: () => string;
}

const receiptPath = pushProgressPath.replace("{id}", ":id");

/** Answers how far a push has got, to senders that may push its topic. */
export function receiptRoute(app: FastifyInstance, { read, basePath, newReference }: ReceiptNeeds): void {
  app.route({
    method: "GET",
    url: basePath + receiptPath,
    handler: async (request, reply) => {
      const sender = await snapshotOf(request.raw).senders.checkQuery(request);
      if (isRefused(sender)) return writeRefusal(reply, sender, newReference);
      // The route names this parameter, so the library has filled it.
      const { id = "" } = request.params as Readonly<Record<string, string>>;
      const progress: PushProgress | null = pushProgress(read, id);
      // Another sender's push is answered like an unknown one: the answer must not reveal whether it exists.
      if (progress === null || !mayPush(sender, progress.topic)) {
        const detail = `There is no push ${JSON.stringify(id)}.`;
        return writeAnswer(reply, problemAnswer({ status: 404, detail, traceId: newReference() }));
      }
      return reply
        .header("content-type", jsonContentType)
        .header("cache-control", "no-store")
        .send(JSON.stringify(progress));
    },
  });
}
