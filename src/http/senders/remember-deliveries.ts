import type { FastifyInstance, FastifyRequest, onSendHookHandler } from "fastify";
import { operationIds } from "../../contract/operations.ts";
import type { Clock } from "../../kit/clock.ts";
import { routePath } from "../internal-address.ts";
import type { SeenIds } from "./seen-ids.ts";

export interface SignedDelivery {
  readonly id: string;
  readonly rememberMs: number;
}

// A member of the request itself: whoever judged it may have been replaced by a new configuration meanwhile.
const delivery = Symbol("signed delivery");
interface Signed extends FastifyRequest {
  [delivery]?: SignedDelivery | undefined;
}

export function markDelivery(request: Signed, signed: SignedDelivery): void {
  request[delivery] = signed;
}

/**
 * Remembers what was answered with success, before that answer goes out; lets go of the rest. The other way round, a
 * push that could not be stored would be refused as a repetition when its sender tries again, and be lost.
 */
export function rememberDeliveries(app: FastifyInstance, { seenIds, clock }: { seenIds: SeenIds; clock: Clock }): void {
  const remember: onSendHookHandler = (request: Signed, reply, payload, done) => {
    const signed = request[delivery];
    if (signed === undefined) return done(null, payload);
    request[delivery] = undefined;
    if (reply.statusCode < 200 || reply.statusCode >= 300) {
      seenIds.release(signed.id);
      return done(null, payload);
    }
    // It is stored, whatever becomes of the note: a failure here must not make the sender send it again.
    const goOn = () => done(null, payload);
    seenIds.keep(signed.id, clock.now() + signed.rememberMs).then(goOn, goOn);
  };
  // Of the routes for pushes: nothing that the platform calls is signed, and every scan would go through the hook.
  const contractRoutes = new Set(operationIds.map(routePath));
  app.addHook("onRoute", (route) => {
    if (!contractRoutes.has(route.url)) route.onSend = [remember, ...[route.onSend ?? []].flat()];
  });
}
