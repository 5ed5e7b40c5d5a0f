import { embeddedName, nobodyName } from "../app/check-references.ts";
import type { Config } from "../app/config-schema.ts";
import { forwardedTopic, forwardName } from "../app/forward/forward-connectors.ts";
import type { AskId, TellId } from "../contract/operations.ts";
import { type PushTopic, pushTopics } from "../contract/pushes.ts";
import { capabilities, capabilityNames } from "../engine/capabilities.ts";
import { platformName } from "../engine/forward/forward-mode.ts";
import { platformTarget } from "../engine/forward/platform-target.ts";
import type { DeliveryTarget } from "../engine/outbox/delivery-target.ts";
import { type Routing, routing, type Target } from "../engine/routing.ts";
import type { JournalReader } from "../journal/journal.ts";
import type { UserCount } from "../kit/user-count.ts";
import type { OpenConnector } from "../sdk/connector.ts";
import { connectorTarget } from "./connector-target.ts";
import type { Guard } from "./fallback-guard.ts";
import type { Base } from "./open-base.ts";
import type { NamedConnector } from "./open-connectors.ts";

export interface BindNeeds {
  readonly config: Config;
  readonly base: Base;
  readonly opened: ReadonlyMap<string, NamedConnector>;
  readonly users: UserCount;
  readonly read: JournalReader;
  /** Stands between the engine and a connector outside that is asked. */
  readonly guard: Guard;
}

/** Who answers and who gets the events. */
export interface Bound {
  readonly routing: Routing;
  readonly targets: ReadonlyMap<string, DeliveryTarget>;
}

/** Binds the open connectors as the configuration says. */
export function bindConnectors({ config, base, opened, users, read, guard }: BindNeeds): Bound {
  const { serve, events } = config;
  const asked = new Map<string, Pick<OpenConnector, "operations">>();
  const connectorOf = (name: string): OpenConnector => {
    const one = opened.get(name);
    if (one === undefined) throw new Error(`the connector ${name} is bound but not open`);
    return one.connector;
  };
  const offering = (name: string) => {
    const known = asked.get(name);
    if (known !== undefined) return known;
    const guarded = { operations: guard(name, connectorOf(name)) };
    asked.set(name, guarded);
    return guarded;
  };
  const bound = capabilityNames.flatMap((capability) => {
    const name = serve[capability];
    if (name === undefined || name === embeddedName) return [];
    return capabilities[capability].asks.map((id): [AskId, Pick<OpenConnector, "operations">] => [id, offering(name)]);
  });
  const targetOf = (name: string): Target => ({ name, connector: connectorOf(name), modes: events.modes });
  const by = Object.entries(events.by).map(([id, name]) => [id, name === nobodyName ? null : targetOf(name)]);
  const target = events.to === undefined ? base.target : targetOf(events.to);
  const told = new Set([events.to, ...Object.values(events.by)]);
  told.delete(nobodyName);
  return {
    routing: routing({
      asks: base.asks,
      bound: Object.fromEntries(bound),
      isBooked: base.isBooked,
      target,
      // The schema knows the ids; entries forget them.
      by: Object.fromEntries(by) as Partial<Record<TellId, Target | null>>,
    }),
    targets: new Map([
      ...(base.target === undefined ? [] : [outboxTarget(base.target.name, base.target.connector)]),
      ...[...told].flatMap((name) => (name === undefined ? [] : [outboxTarget(name, connectorOf(name))])),
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
    connector: Pick<OpenConnector, "operations" | "notices">,
  ): [string, DeliveryTarget] {
    const { concurrency, ratePerSecond, timeoutMs } = { ...events, ...events.limits[name] };
    return [name, connectorTarget(connector, { users, read, timeoutMs, ratePerSecond, concurrency })];
  }
}
