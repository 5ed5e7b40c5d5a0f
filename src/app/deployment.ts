import { pushTopics } from "../contract/pushes.ts";
import { platformName } from "../engine/forward/forward-mode.ts";
import type { DeliveryTarget } from "../engine/outbox/delivery-target.ts";
import type { Routing } from "../engine/routing.ts";
import type { JournalReader } from "../journal/journal.ts";
import { offerOf } from "../sdk/offer.ts";
import { checkOffers } from "./check-offers.ts";
import { ConfigError, type ConfigProblem, type Objection } from "./config-error.ts";
import type { Config } from "./config-schema.ts";
import { type ConnectorSlot, connectorSlot } from "./connector-slot.ts";
import { forwardConnectors, forwardedTopic, forwardName } from "./forward/forward-connectors.ts";
import { type Base, type Generation, type Guard, generation } from "./generation.ts";
import { type NamedConnector, NotOpened, type Opening, openConnectors } from "./open-connectors.ts";

export interface DeploymentNeeds {
  readonly config: Config;
  readonly describe: (objections: readonly Objection[]) => readonly ConfigProblem[];
  readonly opening: Opening;
  readonly read: JournalReader;
  readonly guardFor: (config: Config) => Promise<Guard>;
  /** Opens the base anew, or gives back the one before where nothing it depends on has changed. */
  readonly openBase: (config: Config, before: { base: Base; config: Config } | null) => Promise<Base>;
}

export interface Deployment {
  readonly current: () => Generation;
  readonly routing: Routing;
  readonly dropCaches: () => void;
  /** Swaps everything at once, or changes nothing and throws. What was replaced is the caller's to close. */
  readonly change: (next: Pick<DeploymentNeeds, "config" | "describe">) => Promise<Swapped>;
  readonly close: () => Promise<void>;
}

export interface Swapped {
  readonly opened: readonly string[];
  /** Connectors that are not used any more, and what closes them. */
  readonly replaced: readonly NamedConnector[];
  readonly targets: ReadonlyMap<string, DeliveryTarget>;
}

/** What is open under one configuration after the other. */
export async function openDeployment(needs: DeploymentNeeds): Promise<Deployment> {
  const slots = new Map<string, ConnectorSlot>();
  let current: Generation | null = null;
  await change(needs);

  function slotOf(name: string): ConnectorSlot {
    const slot = slots.get(name) ?? connectorSlot(name);
    slots.set(name, slot);
    return slot;
  }

  async function change({ config, describe }: Pick<DeploymentNeeds, "config" | "describe">): Promise<Swapped> {
    const before = current;
    const opened = await open(config, describe, before);
    const fresh = [...opened.values()].filter(({ name, held }) => before?.opened.get(name)?.held !== held);
    let base: Base;
    let guard: Guard;
    try {
      const objections = checkOffers(
        config,
        new Map([...opened].map(([name, { held }]) => [name, offerOf(held.connector)])),
      );
      if (objections.length > 0) throw new ConfigError(describe(objections));
      guard = await needs.guardFor(config);
      base = await needs.openBase(config, before);
    } catch (error) {
      await Promise.all(fresh.map(({ held }) => held.close(0)));
      throw error;
    }
    const replaced = [...(before?.opened.values() ?? [])].filter(({ name, held }) => opened.get(name)?.held !== held);
    // From here on nothing waits: every call sees the old configuration or the new one, none a bit of each.
    for (const { name } of replaced) slotOf(name).put(null);
    for (const { name, held } of opened.values()) slotOf(name).put(held);
    current = generation({ config, base, opened, slotOf, read: needs.read, guard });
    const targets = keepEqual(before, current);
    current = { ...current, targets };
    return { opened: fresh.map(({ name }) => name), replaced, targets };
  }

  async function open(
    config: Config,
    describe: DeploymentNeeds["describe"],
    before: Generation | null,
  ): Promise<Map<string, NamedConnector>> {
    const { timeZone, timeOfDay } = config;
    const opening = { ...needs.opening, dates: { timeZone, timeOfDay } };
    try {
      const connectors = { ...config.connectors, ...forwardConnectors(config.platform.forward) };
      return await openConnectors({
        config: { connectors },
        opening,
        ...(before === null ? {} : { open: before.opened }),
      });
    } catch (error) {
      if (!(error instanceof NotOpened)) throw error;
      const topic = forwardedTopic(error.connector);
      const path = topic === undefined ? ["connectors", error.connector] : ["platform", "forward", topic];
      throw new ConfigError(describe([{ path, text: error.message }]));
    }
  }

  const now = (): Generation => {
    if (current === null) throw new Error("nothing is open yet");
    return current;
  };
  return {
    current: now,
    routing: {
      ask: (id) => now().routing.ask(id),
      tell: (id) => now().routing.tell(id),
      unsent: (id) => now().routing.unsent?.(id),
    },
    dropCaches: () => now().base.dropCaches(),
    change,
    close: async () => {
      const { base, opened } = now();
      await Promise.all([base.asks.close(), ...[...opened.values()].map(({ held }) => held.close(0))]);
    },
  };
}

/** A target with the same connector and limits stays the very same: what its breaker has learnt holds on. */
function keepEqual(before: Generation | null, next: Generation): ReadonlyMap<string, DeliveryTarget> {
  const limitsOf = ({ timeoutMs, concurrency, ratePerSecond }: DeliveryTarget) =>
    JSON.stringify([timeoutMs, concurrency, ratePerSecond]);
  return new Map(
    [...next.targets].map(([name, target]) => {
      const old = before?.targets.get(name);
      const isSame =
        old !== undefined && before !== null && isSameSystem(name, before, next) && limitsOf(old) === limitsOf(target);
      return [name, isSame ? old : target];
    }),
  );
}

/** The platform is reached by a connector for each topic; every other target has one of its own name. */
function isSameSystem(target: string, before: Generation, next: Generation): boolean {
  if (target !== platformName) return before.opened.get(target)?.held === next.opened.get(target)?.held;
  return pushTopics.every((topic) => {
    const name = forwardName(topic);
    return before.opened.get(name)?.held === next.opened.get(name)?.held;
  });
}
