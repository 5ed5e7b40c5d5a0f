import type { EventId, OfferedId, QueryId } from "../../contract/operations.ts";
import type { OpenConnector, Operate } from "../../sdk/connector.ts";

/**
 * How a tell reaches its target. `durable`: taken over, answered, delivered later. `direct`: the target must
 * agree now. `direct-then-durable`: it is asked now, and what it does not answer in time is delivered later.
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
  /** Null where nobody outside gets this tell; undefined where nobody at all takes it. */
  readonly event: (id: EventId) => EventRoute | null | undefined;
  /** Who would get this tell if it had described what to do with it. */
  readonly unsent?: (id: EventId) => string | undefined;
}

type Offering = Pick<OpenConnector, "operations">;

export interface RoutingNeeds {
  /** Answers the questions that nobody else is bound to. */
  readonly queries: Offering;
  /** Single questions with somebody else to answer them. */
  readonly bound?: Readonly<Partial<Record<QueryId, Offering>>>;
  /** Whether tells are booked inside the journal's own transaction. */
  readonly isBooked: boolean;
  /** Who outside is told; absent where nobody is. */
  readonly target?: Target | undefined;
  /** Single tells with a target of their own; null: nobody outside gets them. */
  readonly by?: Readonly<Partial<Record<EventId, Target | null>>>;
}

/** Who serves which operation. */
export function routing({ queries, bound = {}, isBooked, target, by = {} }: RoutingNeeds): Routing {
  const asked = operationsOf(queries);
  // The members of `bound` are query ids; Object.entries forgets their type.
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
 * The operator waits for the answer to an attach, and for a step where the target may change the running order. Whoever is
 * asked has the last word: one that cannot say no would hand out a container that is taken.
 */
function defaultMode(id: EventId, connector: Target["connector"]): DeliveryMode {
  if (id === "attachWorkOrder") return connector.neverRefuses === true ? "durable" : "direct-then-durable";
  const isStep = id === "confirmStep" || id === "confirmCartStep";
  return isStep && connector.returnsUpdates === true ? "direct-then-durable" : "durable";
}

function operationsOf(connector: Offering): Partial<Record<OfferedId, Operate<OfferedId>>> {
  // An input is checked against its own row before it gets here; the union of all rows cannot express that.
  return connector.operations as Partial<Record<OfferedId, Operate<OfferedId>>>;
}

/** What a deployment can have answered by one system or another, and the questions that belong to it. */
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
// The table has these members only; Object.keys forgets their type.
export const capabilityNames = Object.keys(capabilities) as Capability[];

/** Every question has its capability; a test holds the table to that. */
export const capabilityOf = (id: QueryId): Capability | undefined =>
  capabilityNames.find((name) => (capabilities[name].queries as readonly QueryId[]).includes(id));
