import type { FastifyInstance } from "fastify";
import { chooseLanguage } from "../messages/choose-language.ts";
import { localise } from "../messages/localise.ts";
import type { OperatorText } from "../messages/message.ts";
import { jsonContentType } from "./answer.ts";

export interface Readiness {
  readonly ready: boolean;
  /** What is not as it should be, in words; empty when ready. */
  readonly reasons: readonly string[];
  /** Questions that are answered from last known data; they are answered, so this is no reason to send traffic away. */
  readonly island?: readonly { readonly connector: string; readonly capability: string; readonly since: string }[];
  /** What somebody should look at. Another instance would not do better, so this is no reason to send traffic away. */
  readonly alarms?: readonly ReadyAlarm[];
}

/** No orders and no answers of others in here: the route needs no key. */
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
    const told = alarms?.map((alarm) => ({ ...alarm, text: localise(alarm.text, language) }));
    return reply
      .status(readiness.ready ? 200 : 503)
      .header("content-type", jsonContentType)
      .send(JSON.stringify({ ...readiness, ...(told === undefined ? {} : { alarms: told }) }));
  });
}
