import type { AskId, TellId } from "../contract/operations.ts";
import type { PushTopic } from "../contract/pushes.ts";
import { capabilities, capabilityNames } from "../engine/capabilities.ts";
import { type ForwardModes, platformName } from "../engine/forward/forward-mode.ts";
import { platformTarget } from "../engine/forward/platform-target.ts";
import type { DeliveryTarget } from "../engine/outbox/delivery-target.ts";
import { type Routing, routing, type Target } from "../engine/routing.ts";
import type { JournalReader } from "../journal/journal.ts";
import type { OpenConnector } from "../sdk/connector.ts";
import { embeddedName, nobodyName } from "./check-references.ts";
import type { Config } from "./config-schema.ts";
import type { ConnectorSlot } from "./connector-slot.ts";
import { deliveryTarget } from "./delivery-target.ts";
import { forwardedTopic, forwardName } from "./forward/forward-connectors.ts";
import { modesOf } from "./forward/forward-section.ts";
import type { NamedConnector } from "./open-connectors.ts";

/** Who answers whatever no other connector is bound to, and is told where nobody is named. */
export interface Base {
  readonly asks: OpenConnector;
  readonly dropCaches: () => void;
  readonly isBooked: boolean;
  readonly target?: Target;
}

/** What follows from one configuration: who answers, who is told, within which limits. */
export interface Generation {
  readonly config: Config;
  readonly base: Base;
  readonly opened: ReadonlyMap<string, NamedConnector>;
  readonly routing: Routing;
  readonly targets: ReadonlyMap<string, DeliveryTarget>;
  /** Which pushes go on to the platform. */
  readonly forwardModes: ForwardModes;
}

export type Guard = (name: string, connector: Pick<OpenConnector, "operations">) => OpenConnector["operations"];

export interface GenerationNeeds {
  readonly config: Config;
  readonly base: Base;
  readonly opened: ReadonlyMap<string, NamedConnector>;
  readonly slotOf: (name: string) => ConnectorSlot;
  readonly read: JournalReader;
  /** Stands between the engine and a connector outside that is asked. */
  readonly guard: Guard;
}

/** Binds the open connectors as the configuration says. They are in their slots by then. */
export function generation({ config, base, opened, slotOf, read, guard }: GenerationNeeds): Generation {
  const { serve, events } = config;
  const asked = new Map<string, Pick<OpenConnector, "operations">>();
  const offering = (name: string) => {
    const known = asked.get(name);
    if (known !== undefined) return known;
    const guarded = { operations: guard(name, slotOf(name).offering()) };
    asked.set(name, guarded);
    return guarded;
  };
  const bound = capabilityNames.flatMap((capability) => {
    const name = serve[capability];
    if (name === undefined || name === embeddedName) return [];
    return capabilities[capability].asks.map((id): [AskId, Pick<OpenConnector, "operations">] => [id, offering(name)]);
  });
  const targetOf = (name: string): Target => ({ name, connector: slotOf(name).offering(), modes: events.modes });
  const by = Object.entries(events.by).map(([id, name]) => [id, name === nobodyName ? null : targetOf(name)]);
  const target = events.to === undefined ? base.target : targetOf(events.to);
  const told = new Set([events.to, ...Object.values(events.by)]);
  told.delete(nobodyName);
  return {
    config,
    base,
    opened,
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
      ...[...told].flatMap((name) => (name === undefined ? [] : [outboxTarget(name, slotOf(name).offering())])),
      ...([...opened.keys()].some(forwardedTopic) ? [toPlatform()] : []),
    ]),
    forwardModes: modesOf(config.platform.forward),
  };

  function toPlatform(): [string, DeliveryTarget] {
    const { concurrency, ratePerSecond, timeoutMs } = { ...events, ...config.platform.forward.limits };
    const senderOf = (topic: PushTopic) =>
      opened.has(forwardName(topic)) ? slotOf(forwardName(topic)).offering().notices : undefined;
    const limits = { concurrency, timeoutMs, ...(ratePerSecond === undefined ? {} : { ratePerSecond }) };
    return [platformName, platformTarget({ senderOf, read, limits })];
  }

  function outboxTarget(
    name: string,
    connector: Pick<OpenConnector, "operations" | "notices">,
  ): [string, DeliveryTarget] {
    const { concurrency, ratePerSecond, timeoutMs } = { ...events, ...events.limits[name] };
    return [name, deliveryTarget(connector, { read, timeoutMs, ratePerSecond, concurrency })];
  }
}
