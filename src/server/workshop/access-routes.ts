import type { FastifyInstance, FastifyReply } from "fastify";
import type { ActionLog } from "../../engine/audit/open-action-log.ts";
import { bodyOf, decisionLimitBytes, send } from "../admin/admin-exchange.ts";
import type { AdminGate } from "../admin/admin-gate.ts";
import { adminProblem } from "../admin/admin-problem.ts";
import { readReason } from "../admin/read-decision.ts";
import type { Role } from "../auth/admin-access.ts";
import { writeAnswer } from "../contract/answer.ts";

/** Who may do what. Contains no secret. */
export interface AccessView {
  readonly people: readonly { readonly name: string; readonly role: Role; readonly isKeyUsable: boolean }[];
  /** Sign-in with the company account; null if it is not configured. */
  readonly oidc: {
    readonly issuer: string;
    /** The claim that decides a person's role, such as `groups`. */
    readonly claim: string;
    readonly roles: readonly { readonly role: Role; readonly values: readonly string[] }[];
  } | null;
  readonly senders: readonly {
    readonly name: string;
    readonly kind: string;
    /** Null means all topics. */
    readonly topics: readonly string[] | null;
    readonly isEnabled: boolean;
  }[];
  /** How the platform proves who it is; `none` if it does not have to. */
  readonly platform: string;
}

/** Which alarms exist and where they are sent. */
export interface AlarmsView {
  readonly kinds: readonly { readonly kind: string; readonly isOn: boolean }[];
  readonly channels: readonly { readonly name: string; readonly to: string }[];
}

export interface ChannelResult {
  readonly channel: string;
  readonly isSent: boolean;
  readonly detail: string | null;
}

export interface AccessRouteNeeds {
  readonly access: () => AccessView;
  readonly alarms: () => AlarmsView;
  /** Sends a test alarm over every channel. */
  readonly testAlarms: (operator: string) => Promise<readonly ChannelResult[]>;
  readonly actions: Pick<ActionLog, "add">;
  readonly gate: AdminGate;
  readonly basePath: string;
  readonly newReference: () => string;
}

/** People, keys and alarms, for the configuration page. */
export function accessRoutes(app: FastifyInstance, needs: AccessRouteNeeds): void {
  const { gate, basePath } = needs;
  const secured = (reply: FastifyReply) =>
    reply.header("cache-control", "no-store").header("x-content-type-options", "nosniff");

  app.get(`${basePath}/admin/access`, { onRequest: gate.routeCheck("GET /admin/access") }, (_request, reply) =>
    send(secured(reply), needs.access()),
  );
  app.get(`${basePath}/admin/alarms`, { onRequest: gate.routeCheck("GET /admin/alarms") }, (_request, reply) =>
    send(secured(reply), needs.alarms()),
  );
  app.post(
    `${basePath}/admin/alarms/test`,
    { bodyLimit: decisionLimitBytes, onRequest: gate.routeCheck("POST /admin/alarms/test") },
    async (request, reply) => {
      const body = bodyOf({ request, principal: gate.principalOf(request) });
      const reading = "errors" in body ? body : readReason(body.members);
      if ("errors" in reading) {
        const { errors } = reading;
        const traceId = needs.newReference();
        return writeAnswer(secured(reply), adminProblem({ status: 400, detail: "Nothing was done.", errors, traceId }));
      }
      const results = await needs.testAlarms(reading.operator);
      const subject = results.map(({ channel, isSent }) => `${channel} ${isSent ? "sent" : "failed"}`).join(", ");
      await needs.actions.add({ ...reading, action: "alarm-test", subject });
      return send(secured(reply), { results });
    },
  );
}
