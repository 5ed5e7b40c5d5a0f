import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AdminRoute } from "../../contract/admin/admin-rows.ts";
import { logLevelNames, mostLogMinutes } from "../../contract/admin/log-rows.ts";
import { nameInSegment } from "../../contract/admin/path-segment.ts";
import type { ActionLog } from "../../engine/audit/open-action-log.ts";
import type { Log } from "../../kit/log.ts";
import { isOneOf } from "../../kit/narrow.ts";
import { type LogRoom, logRoomNames } from "../../messages/log/log-line.ts";
import { writeAnswer } from "../contract/answer.ts";
import { bodyOf, decisionLimitBytes, send } from "./admin-exchange.ts";
import type { AdminGate } from "./admin-gate.ts";
import { adminProblem } from "./admin-problem.ts";
import { type QueryErrors, readOperator } from "./read-decision.ts";

type LogLevel = (typeof logLevelNames)[number];

/** A request and its answer, or a delivery and its answer, masked and within limits. */
export interface LoggedExchange {
  readonly at: string;
  readonly kind: "request" | "delivery";
  readonly what: string;
  /** Null if there was no answer. */
  readonly status: number | null;
  readonly ms: number;
  readonly request: string;
  readonly answer: string;
}

export interface WatchedOrder {
  readonly order: string;
  readonly until: string;
  readonly exchanges: number;
}

export interface LogControl {
  readonly levels: () => readonly { readonly room: LogRoom; readonly level: LogLevel; readonly until: string | null }[];
  readonly setLevel: (room: LogRoom, change: { readonly level: LogLevel; readonly forMs: number } | null) => void;
  readonly watch: (order: string, forMs: number) => void;
  readonly orders: () => readonly WatchedOrder[];
  readonly exchanges: (order: string) => readonly LoggedExchange[] | null;
}

export interface LogRouteNeeds {
  readonly control: LogControl;
  readonly actions: Pick<ActionLog, "add">;
  readonly log: Log;
  readonly gate: AdminGate;
  readonly basePath: string;
  readonly newReference: () => string;
}

const minuteMs = 60_000;
const longestNumber = 200;

/** Sets a more detailed log level for a limited time, and shows the logged requests of one order. */
export function logRoutes(app: FastifyInstance, needs: LogRouteNeeds): void {
  const { control, gate, basePath, newReference, log, actions } = needs;
  const secured = (reply: FastifyReply) =>
    reply.header("cache-control", "no-store").header("x-content-type-options", "nosniff");
  const refuse = (reply: FastifyReply, errors: QueryErrors) =>
    writeAnswer(reply, adminProblem({ status: 400, detail: "Nothing was done.", errors, traceId: newReference() }));
  const view = () => ({ levels: control.levels(), orders: control.orders() });
  const check = (route: AdminRoute) => ({ bodyLimit: decisionLimitBytes, onRequest: gate.routeCheck(route) });
  const read = (request: FastifyRequest) => bodyOf({ request, principal: gate.principalOf(request) });

  app.get(`${basePath}/admin/log`, check("GET /admin/log"), (_request, reply) => send(secured(reply), view()));

  app.post(`${basePath}/admin/log/level`, check("POST /admin/log/level"), async (request, reply) => {
    secured(reply);
    const body = read(request);
    if ("errors" in body) return refuse(reply, body.errors);
    const { room, level } = body.members;
    const person = readOperator(body.members);
    const minutes = minutesIn(body.members);
    const errors = {
      ...("errors" in person ? person.errors : {}),
      ...(isOneOf(logRoomNames, room) ? {} : { room: [`must be one of ${logRoomNames.join(", ")}`] }),
      ...(level === "normal" || isOneOf(logLevelNames, level)
        ? {}
        : { level: [`must be normal, ${logLevelNames.join(", ")}`] }),
      ...(minutes === null ? { minutes: minutesExpected } : {}),
    };
    if ("errors" in person || !isOneOf(logRoomNames, room) || minutes === null) return refuse(reply, errors);
    if (level !== "normal" && !isOneOf(logLevelNames, level)) return refuse(reply, errors);
    control.setLevel(room, level === "normal" ? null : { level, forMs: minutes * minuteMs });
    const { operator } = person;
    await actions.add({ operator, action: "log-level", subject: `${room} ${level}`, reason: null });
    log.warn({ operator, changed: room, newLevel: level, minutes }, "the log level of a room was changed");
    return send(reply, view());
  });

  app.post(`${basePath}/admin/log/orders`, check("POST /admin/log/orders"), async (request, reply) => {
    secured(reply);
    const body = read(request);
    if ("errors" in body) return refuse(reply, body.errors);
    const { order } = body.members;
    const person = readOperator(body.members);
    const minutes = minutesIn(body.members);
    const isNumber = typeof order === "string" && order.trim() !== "" && order.length <= longestNumber;
    const errors = {
      ...("errors" in person ? person.errors : {}),
      ...(isNumber ? {} : { order: [`must be a text of 1 to ${longestNumber} characters`] }),
      ...(minutes === null ? { minutes: minutesExpected } : {}),
    };
    if ("errors" in person || !isNumber || minutes === null) return refuse(reply, errors);
    control.watch(order, minutes * minuteMs);
    const { operator } = person;
    await actions.add({ operator, action: "log-order", subject: order, reason: null });
    log.warn({ operator, order, minutes }, "the requests of an order are logged");
    return send(reply, view());
  });

  app.get(`${basePath}/admin/log/orders/:number`, check("GET /admin/log/orders/:number"), (request, reply) => {
    secured(reply);
    // The route names this parameter, so the library has filled it.
    const number = nameInSegment((request.params as { number: string }).number);
    const exchanges = control.exchanges(number);
    if (exchanges !== null) return send(reply, { exchanges });
    const detail = `The requests of the order ${JSON.stringify(number)} are not logged.`;
    return writeAnswer(reply, adminProblem({ status: 404, detail, traceId: newReference() }));
  });
}

const minutesExpected = [`must be a number above 0, at most ${mostLogMinutes}`];

/** Numbers are parsed with all their digits, so a number may be an object instead of a JavaScript number. */
function minutesIn({ minutes = 15 }: Readonly<Record<string, unknown>>): number | null {
  const given = Number(String(minutes));
  return Number.isFinite(given) && given > 0 && given <= mostLogMinutes ? given : null;
}
