import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ActionLog } from "../../engine/audit/open-action-log.ts";
import { bodyOf, decisionLimitBytes, send } from "../admin/admin-exchange.ts";
import type { AdminGate } from "../admin/admin-gate.ts";
import { adminProblem } from "../admin/admin-problem.ts";
import { type QueryErrors, readOperator } from "../admin/read-decision.ts";
import { writeAnswer } from "../contract/answer.ts";
import type { FloorControl, SimulationRequest } from "./floor-control.ts";

export interface FloorRouteNeeds {
  readonly control: FloorControl;
  readonly gate: AdminGate;
  readonly basePath: string;
  readonly newReference: () => string;
  readonly actions: Pick<ActionLog, "add">;
}

type Members = Readonly<Record<string, unknown>>;

/** Least, greatest and default value of each member. A member whose default is null may be left out. */
const limits: Readonly<Record<keyof SimulationRequest, readonly [least: number, most: number, usual: number | null]>> =
  {
    orders: [0, 5_000, 20],
    operators: [1, 64, 8],
    speed: [1, 10_000, null],
    minutes: [1, 10_000, null],
    faultPercent: [0, 20, 0],
    changePercent: [0, 20, 0],
    seed: [0, 2 ** 31, null],
  };

/** The simulated floor and the conformance checks, for people who try out this adapter. */
export function floorRoutes(app: FastifyInstance, needs: FloorRouteNeeds): void {
  const { control, gate, basePath, newReference, actions } = needs;
  const url = `${basePath}/admin/floor`;
  const secured = (reply: FastifyReply) =>
    reply.header("cache-control", "no-store").header("x-content-type-options", "nosniff");
  const refuse = (reply: FastifyReply, status: number, detail: string) =>
    writeAnswer(reply, adminProblem({ status, detail, traceId: newReference() }));

  app.get(url, { onRequest: gate.routeCheck("GET /admin/floor") }, (_request, reply) =>
    send(secured(reply), control.state()),
  );

  app.get(`${url}/report`, { onRequest: gate.routeCheck("GET /admin/floor/report") }, (_request, reply) => {
    const page = control.page();
    if (page === null) return refuse(secured(reply), 404, "There is no report.");
    return secured(reply)
      .header("content-type", "text/html; charset=utf-8")
      .header("content-disposition", 'attachment; filename="report.html"')
      .send(page);
  });

  const start = (path: "simulate" | "conform" | "stop", run: (members: Members, operator: string) => Outcome) =>
    app.post(
      `${url}/${path}`,
      { bodyLimit: decisionLimitBytes, onRequest: gate.routeCheck(`POST /admin/floor/${path}`) },
      async (request: FastifyRequest, reply) => {
        secured(reply);
        const body = bodyOf({ request, principal: gate.principalOf(request) });
        const by = "errors" in body ? body : readOperator(body.members);
        const outcome = "errors" in by || "errors" in body ? by : run(body.members, by.operator);
        if ("errors" in outcome) {
          const { errors } = outcome;
          return writeAnswer(
            reply,
            adminProblem({ status: 400, detail: "Nothing was done.", errors, traceId: newReference() }),
          );
        }
        if ("refused" in outcome) return refuse(reply, 409, outcome.refused);
        if ("operator" in by) await actions.add({ operator: by.operator, action: path, subject: "", reason: null });
        return send(reply, outcome);
      },
    );

  start("simulate", (members, operator) => {
    const read = readRequest(members);
    return "errors" in read ? read : control.simulate(read.simulation, operator);
  });
  start("conform", ({ full = false }, operator) =>
    typeof full === "boolean"
      ? control.conform({ isFull: full }, operator)
      : { errors: { full: ["must be true or false"] } },
  );
  start("stop", () => (control.stop() ? control.state() : { refused: "Nothing is running." }));
}

type Outcome = object & ({ readonly errors: QueryErrors } | { readonly refused: string } | object);

function readRequest(members: Members): { readonly simulation: SimulationRequest } | { readonly errors: QueryErrors } {
  const errors: Record<string, string[]> = {};
  const simulation: Record<string, number | null> = {};
  for (const [name, [least, most, usual]] of Object.entries(limits)) {
    const value = members[name] ?? usual;
    const isWhole = typeof value === "number" && Number.isInteger(value) && value >= least && value <= most;
    if (!isWhole && value !== null) errors[name] = [`must be a whole number from ${least} to ${most}`];
    // The two conditions above leave only these values.
    else simulation[name] = value as number | null;
  }
  // Every member of `limits` was read above.
  return Object.keys(errors).length > 0 ? { errors } : { simulation: simulation as unknown as SimulationRequest };
}
