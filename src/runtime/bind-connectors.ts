import { embeddedName, noneName } from "../config/checks/check-references.ts";
import type { Config } from "../config/config-schema.ts";
import { forwardedTopic, forwardName } from "../config/sections/forward-connectors.ts";
import { type DerivedEventId, derivedEventIds, isDerivedEvent } from "../contract/derived-events.ts";
import { type EventId, type OfferedId, operationIds, type QueryId } from "../contract/operations.ts";
import { type PushTopic, pushTopics } from "../contract/pushes.ts";
import type { DeliveryTarget } from "../engine/delivery/outbox.ts";
import { platformName, platformTarget } from "../engine/forward/forwarded.ts";
import { deliveryOf } from "../engine/queries/call.ts";
import { capabilities, capabilityNames, type Routing, routing, type Target } from "../engine/queries/routing.ts";
import { withFollowUps } from "../engine/queries/with-follow-ups.ts";
import type { JournalReader } from "../journal/journal.ts";
import type { UserCount } from "../kit/current-snapshot.ts";
import { isOneOf } from "../kit/narrow.ts";
import { chooseLanguage } from "../messages/choose-language.ts";
import { type FindSubject, unlessGivenUp } from "../operation/event-subject.ts";
import { Fault } from "../operation/fault.ts";
import { type AnyOutcome, ok } from "../operation/outcome.ts";
import { asSent } from "../operation/platform-ids.ts";
import type { CallContext, OpenConnector, Operate } from "../sdk/connector.ts";
import type { FollowUpOrders } from "../store/changes/read-follow-ups.ts";
import type { DerivedTargets } from "../store/finished/finishing.ts";
import type { Guard } from "./fallback-guard.ts";
import type { Base } from "./open-base.ts";
import type { NamedConnector } from "./open-connectors.ts";

interface BindNeeds {
  readonly config: Config;
  readonly base: Base;
  readonly opened: ReadonlyMap<string, NamedConnector>;
  readonly users: UserCount;
  readonly read: JournalReader;
  /** The order and line that an event is about. */
  readonly findSubject?: FindSubject | undefined;
  /** The follow-up orders, which no external system knows. */
  readonly followUps?: FollowUpOrders | undefined;
  /** Protects queries to an external system. */
  readonly guard: Guard;
}

/** Which connector answers which operation, and which target gets which event. */
export interface Bound {
  readonly routing: Routing;
  readonly targets: ReadonlyMap<string, DeliveryTarget>;
  /** The connector that gets each derived event. */
  readonly derived: DerivedTargets;
}

/** Binds the open connectors as the configuration says. */
export function bindConnectors({ config, base, opened, users, read, guard, findSubject, followUps }: BindNeeds): Bound {
  const { serve, events } = config;
  const guardedByName = new Map<string, Pick<OpenConnector, "operations">>();
  const connectorOf = (name: string): OpenConnector => {
    const one = opened.get(name);
    if (one === undefined) throw new Error(`the connector ${name} is bound but not open`);
    return one.connector;
  };
  const offering = (name: string) => {
    const known = guardedByName.get(name);
    if (known !== undefined) return known;
    const own = guard(name, connectorOf(name));
    const guarded = {
      operations: followUps === undefined ? own : withFollowUps(own, base.queries.operations, followUps),
    };
    guardedByName.set(name, guarded);
    return guarded;
  };
  /** Offers no operation: what is bound to it is answered with AdapterNotDefined. */
  const nothing: Pick<OpenConnector, "operations"> = { operations: {} };
  const bound = capabilityNames.flatMap((capability): (readonly [QueryId, Pick<OpenConnector, "operations">])[] => {
    const name = serve[capability];
    if (name === undefined || name === embeddedName) return [];
    if (name === noneName) return capabilities[capability].queries.map((id) => [id, nothing] as const);
    return capabilities[capability].queries.map((id): [QueryId, Pick<OpenConnector, "operations">] => [
      id,
      offering(name),
    ]);
  });
  const targetOf = (name: string): Target => ({ name, connector: connectorOf(name), modes: events.modes });
  const by = Object.entries(events.by).map(([id, name]) => [id, name === noneName ? null : targetOf(name)]);
  const target = events.to === undefined ? base.target : targetOf(events.to);
  const eventTargets = new Set([events.to, ...Object.values(events.by)]);
  eventTargets.delete(noneName);
  const derived = derivedEventIds.flatMap((id): [DerivedEventId, string][] => {
    const name = events.by[id] ?? events.to;
    const isWanted = name !== undefined && opened.get(name)?.connector.derived?.[id] !== undefined;
    return isWanted ? [[id, name]] : [];
  });
  return {
    derived: Object.fromEntries(derived),
    routing: routing({
      queries: base.queries,
      bound: Object.fromEntries(bound),
      isBooked: base.isBooked,
      target,
      // The schema allows only known ids; `Object.fromEntries` loses that type.
      by: Object.fromEntries(by) as Partial<Record<EventId, Target | null>>,
    }),
    targets: new Map([
      ...(base.target === undefined ? [] : [outboxTarget(base.target.name, base.target.connector)]),
      ...[...eventTargets].flatMap((name) => (name === undefined ? [] : [outboxTarget(name, connectorOf(name))])),
      ...([...opened.keys()].some(forwardedTopic) ? [toPlatform()] : []),
    ]),
  };

  function toPlatform(): [string, DeliveryTarget] {
    const { concurrency, ratePerSecond, timeoutMs } = { ...events, ...config.platform.forward.limits };
    const connectors = new Map(
      pushTopics.flatMap((topic): [PushTopic, OpenConnector][] => {
        const one = opened.get(forwardName(topic));
        return one === undefined ? [] : [[topic, one.connector]];
      }),
    );
    const senderOf = (topic: PushTopic) => connectors.get(topic)?.notices;
    const limits = {
      ...{ users, systems: [...connectors.values()], concurrency, timeoutMs },
      ...(ratePerSecond === undefined ? {} : { ratePerSecond }),
    };
    return [platformName, platformTarget({ senderOf, read, limits })];
  }

  function outboxTarget(
    name: string,
    connector: Pick<OpenConnector, "operations" | "notices" | "derived">,
  ): [string, DeliveryTarget] {
    const { concurrency, ratePerSecond, timeoutMs } = { ...events, ...events.limits[name] };
    return [name, connectorTarget(connector, { users, read, findSubject, timeoutMs, ratePerSecond, concurrency })];
  }
}

type Derived = (input: unknown, context: CallContext) => AnyOutcome | Promise<AnyOutcome>;

const isOperation = (topic: string): topic is OfferedId => isOneOf(operationIds, topic);

/** A connector as a delivery target. */
function connectorTarget(
  connector: Pick<OpenConnector, "operations" | "notices" | "derived">,
  limits: {
    users: UserCount;
    read: JournalReader;
    findSubject: FindSubject | undefined;
    timeoutMs: number;
    concurrency: number;
    ratePerSecond: number | undefined;
  },
): DeliveryTarget {
  const { users, read, findSubject, timeoutMs, concurrency, ratePerSecond } = limits;
  // Inputs in the journal were validated against their own row; the union of all rows cannot express that.
  const operations = connector.operations as Partial<Record<OfferedId, Operate<OfferedId>>>;
  return {
    systems: [connector],
    users,
    timeoutMs,
    concurrency,
    ...(ratePerSecond === undefined ? {} : { ratePerSecond }),
    operate: async (entry, signal, record, progress) => {
      // Each operation takes the input of its own row; this entry was validated against it when it was accepted.
      const input = (await asSent(entry)) as never;
      // Another process may have taken over while a long entry was parsed, and not every connector looks at the signal.
      signal.throwIfAborted();
      const language = chooseLanguage(entry.acceptLanguage ?? undefined);
      const delivery = deliveryOf(entry, read);
      const context = {
        ...{ language, signal, delivery },
        ...(record === undefined ? {} : { record }),
        ...(progress === undefined ? {} : { progress }),
        ...(findSubject === undefined ? {} : { findSubject: unlessGivenUp(findSubject, { signal }) }),
      };
      if (isDerivedEvent(entry.topic)) {
        // As above: its schema is that of its topic.
        const derived = connector.derived?.[entry.topic] as Derived | undefined;
        // No connector asks for it any more. A dead entry would block all later ones of the order's lane.
        return derived === undefined ? ok(null, { isUnsent: true }) : derived(input, context);
      }
      if (!isOperation(entry.topic)) {
        // The connector does not want receipts. A dead receipt would block all later entries of the order's lane.
        if (connector.notices === undefined) return ok(null, { isUnsent: true });
        return connector.notices(entry.topic, input, context);
      }
      const operate = operations[entry.topic];
      if (operate === undefined)
        throw new Fault("rejected", `the connector accepts no entries of topic ${entry.topic}`);
      return operate(input, context);
    },
  };
}
