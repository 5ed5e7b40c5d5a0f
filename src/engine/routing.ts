import type { AskId, OfferedId, TellId } from "../contract/operations.ts";
import type { OpenConnector, Operate } from "../sdk/connector.ts";

/**
 * How a tell reaches its target. `durable`: taken over, answered, delivered later. `direct`: the target must
 * agree now. `direct-then-durable`: it is asked now, and what it does not answer in time is delivered later.
 */
export type DeliveryMode = "durable" | "direct" | "direct-then-durable";

export interface Target {
  readonly name: string;
  readonly connector: OpenConnector;
  readonly modes: Partial<Readonly<Record<TellId, DeliveryMode>>>;
}

export interface TellRoute {
  readonly target: string;
  readonly operate: Operate<OfferedId>;
  readonly mode: DeliveryMode;
}

export interface Routing {
  readonly ask: (id: AskId) => Operate<OfferedId> | undefined;
  /** Null where nobody outside gets this tell; undefined where nobody at all takes it. */
  readonly tell: (id: TellId) => TellRoute | null | undefined;
}

export interface RoutingNeeds {
  /** Answers the questions. */
  readonly asks: OpenConnector;
  /** Whether tells are booked inside the journal's own transaction. */
  readonly isBooked: boolean;
  /** Who outside is told; absent where nobody is. */
  readonly target?: Target | undefined;
}

/** Who serves which operation. */
export function routing({ asks, isBooked, target }: RoutingNeeds): Routing {
  const asked = operationsOf(asks);
  const told = target === undefined ? {} : operationsOf(target.connector);
  return {
    ask: (id) => asked[id],
    tell: (id) => {
      const operate = told[id];
      if (target === undefined || operate === undefined) return isBooked ? null : undefined;
      return { target: target.name, operate, mode: target.modes[id] ?? defaultMode(id, target.connector) };
    },
  };
}

/** The operator waits for the answer to an attach, and for a step where the target may change the running order. */
function defaultMode(id: TellId, connector: OpenConnector): DeliveryMode {
  if (id === "attachWorkOrder") return "direct-then-durable";
  const isStep = id === "confirmStep" || id === "confirmCartStep";
  return isStep && connector.returnsUpdates === true ? "direct-then-durable" : "durable";
}

function operationsOf(connector: OpenConnector): Partial<Record<OfferedId, Operate<OfferedId>>> {
  // An input is checked against its own row before it gets here; the union of all rows cannot express that.
  return connector.operations as Partial<Record<OfferedId, Operate<OfferedId>>>;
}
