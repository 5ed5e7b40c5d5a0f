import type { EventId, OfferedId, QueryId } from "../../contract/operations.ts";
import type { OpenConnector, Operate } from "../../sdk/connector.ts";

/**
 * How an event reaches its target. `durable`: stored, answered, delivered later. `direct`: the target must accept it
 * now. `direct-then-durable`: the target is called now, and if it does not answer in time, the event is delivered
 * later.
 */
export type DeliveryMode = "durable" | "direct" | "direct-then-durable";

export interface Target {
  readonly name: string;
  readonly connector: Pick<OpenConnector, "operations" | "returnsUpdates" | "neverRefuses">;
  readonly modes: Partial<Readonly<Record<EventId, DeliveryMode>>>;
}

export interface EventRoute {
  readonly target: string;
  readonly operate: Operate<OfferedId>;
  readonly mode: DeliveryMode;
}

export interface Routing {
  readonly query: (id: QueryId) => Operate<OfferedId> | undefined;
  /** Returns the route of an event: null if no external system gets it, undefined if nothing accepts it. */
  readonly event: (id: EventId) => EventRoute | null | undefined;
  /** The target that would get this event if a request for it were configured. */
  readonly unsent?: (id: EventId) => string | undefined;
}

type Offering = Pick<OpenConnector, "operations">;

export interface RoutingNeeds {
  /** Answers the queries that are not bound to another connector. */
  readonly queries: Offering;
  /** Single queries that another connector answers. */
  readonly bound?: Readonly<Partial<Record<QueryId, Offering>>>;
  /** Whether the embedded store applies events in the journal's transaction. */
  readonly isBooked: boolean;
  /** The external target of events; absent if there is none. */
  readonly target?: Target | undefined;
  /** Single events with a target of their own; null: no external system gets them. */
  readonly by?: Readonly<Partial<Record<EventId, Target | null>>>;
}

/** Decides which connector serves which operation. */
export function routing({ queries, bound = {}, isBooked, target, by = {} }: RoutingNeeds): Routing {
  const asked = operationsOf(queries);
  // The keys of `bound` are query ids; Object.entries loses their type.
  const elsewhere = new Map(Object.entries(bound).map(([id, offering]) => [id, operationsOf(offering)[id as QueryId]]));
  const routes = new Map<EventId, EventRoute | null | undefined>();
  const nobody = isBooked ? null : undefined;

  const targetOf = (id: EventId) => (Object.hasOwn(by, id) ? by[id] : target);

  const routeOf = (id: EventId): EventRoute | null | undefined => {
    const own = targetOf(id);
    if (!own) return nobody;
    const operate = operationsOf(own.connector)[id];
    if (operate === undefined) return nobody;
    return { target: own.name, operate, mode: own.modes[id] ?? defaultMode(id, own.connector) };
  };

  return {
    query: (id) => (elsewhere.has(id) ? elsewhere.get(id) : asked[id]),
    event: (id) => {
      if (!routes.has(id)) routes.set(id, routeOf(id));
      return routes.get(id);
    },
    unsent: (id) => {
      const own = targetOf(id);
      return own && operationsOf(own.connector)[id] === undefined ? own.name : undefined;
    },
  };
}

/**
 * The operator waits for the answer to an attach, and to a step if the target may change the running order. In a direct
 * delivery the target alone decides. So a target that never refuses is not called directly for an attach: it would
 * assign a container that is in use.
 */
function defaultMode(id: EventId, connector: Target["connector"]): DeliveryMode {
  if (id === "attachWorkOrder") return connector.neverRefuses === true ? "durable" : "direct-then-durable";
  const isStep = id === "confirmStep" || id === "confirmCartStep";
  return isStep && connector.returnsUpdates === true ? "direct-then-durable" : "durable";
}

function operationsOf(connector: Offering): Partial<Record<OfferedId, Operate<OfferedId>>> {
  // An input is checked against its own row before; the union of all rows cannot express that.
  return connector.operations as Partial<Record<OfferedId, Operate<OfferedId>>>;
}

/** The capabilities that a deployment can assign to a system, and their queries. */
export const capabilities = {
  workOrders: { queries: ["listWorkOrders"], summary: "The list of available work orders." },
  codeLookup: { queries: ["findWorkOrderByCode"], summary: "One work order by scanned code." },
  putWall: { queries: ["findPutWallOrders"], summary: "The work orders behind a put wall code." },
  files: { queries: ["parseWorkOrderFile", "parseItemFile"], summary: "Uploaded order and item files." },
  report: { queries: ["getReport"], summary: "The completion report." },
  export: {
    queries: ["getExportColumns", "getExportValues", "getIndexableValueLabel"],
    summary: "Extra export columns, their values, and the label.",
  },
  items: { queries: ["getItem"], summary: "Item master data." },
  images: { queries: ["getItemImage"], summary: "Product images." },
} as const satisfies Readonly<Record<string, { readonly queries: readonly QueryId[]; readonly summary: string }>>;

export type Capability = keyof typeof capabilities;
// The table has only these keys; Object.keys loses their type.
export const capabilityNames = Object.keys(capabilities) as Capability[];

/** Every query has its capability; a test checks that the table is complete. */
export const capabilityOf = (id: QueryId): Capability | undefined =>
  capabilityNames.find((name) => (capabilities[name].queries as readonly QueryId[]).includes(id));
