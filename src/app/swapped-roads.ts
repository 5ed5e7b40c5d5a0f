import { availableParallelism } from "node:os";
import type { AskId } from "../contract/operations.ts";
import { capabilityOf } from "../engine/capabilities.ts";
import type { BulkRoad } from "../http/bulk-road.ts";
import { type ContractRoad, contractRoad } from "../http/contract-road.ts";
import type { PushRoad } from "../http/inbound/push-road.ts";
import type { Clock } from "../kit/clock.ts";
import type { Timers } from "../kit/timers.ts";
import { bulkRoad } from "./bulk-road.ts";
import { embeddedName } from "./check-references.ts";
import type { Config } from "./config-schema.ts";
import { pushRoad } from "./pushes/push-road.ts";
import { pushThread } from "./pushes/push-thread.ts";

/** Makes a thing anew whenever the configuration is another one, and says goodbye to the one before. */
function perConfig<Thing>(current: () => Config, make: (config: Config) => Thing, gone: (thing: Thing) => void) {
  let made: { readonly config: Config; readonly thing: Thing } | null = null;
  return (): Thing => {
    const config = current();
    if (made?.config !== config) {
      if (made !== null) gone(made.thing);
      made = { config, thing: make(config) };
    }
    return made.thing;
  };
}

/** The road of the configuration that holds when a request arrives. */
export function liveRoad(
  current: () => Config,
  needs: Omit<Parameters<typeof contractRoad>[0], "validationMode">,
): ContractRoad {
  const road = perConfig(
    current,
    ({ validationMode }) => contractRoad({ ...needs, validationMode }),
    () => {},
  );
  return {
    ask: (...call) => road().ask(...call),
    tell: (...call) => road().tell(...call),
    broken: (...call) => road().broken(...call),
  };
}

/** Secrets of connectors have no business in another thread. */
const withoutSecrets = (config: Config): Config => ({ ...config, connectors: {}, senders: {} });

/** The thread for large pushes of the configuration that holds when one arrives. */
export function livePushes(needs: {
  readonly current: () => Config;
  readonly clock: Clock;
  readonly timers: Timers;
}): PushRoad {
  const retiring = new Set<PushRoad>();
  const road = perConfig(
    needs.current,
    (config) => pushRoad({ ...needs, thread: pushThread(withoutSecrets(config)) }),
    (before) => {
      retiring.add(before);
      void before.retire().finally(() => retiring.delete(before));
    },
  );
  return {
    read: (push) => road().read(push),
    close: async () => {
      await Promise.all([road(), ...retiring].map((one) => one.close()));
    },
  };
}

/** More would only take memory: they share the processor with the thread that answers everything else. */
const maxThreads = 2;

/** The threads of the configuration that holds when a body arrives; what earlier ones have begun they end. */
export function liveBulk(needs: {
  readonly current: () => Config;
  readonly databaseFile: string;
  /** The questions whose lists may be answered in parts, by what is open now. */
  readonly byElement: () => readonly AskId[];
  readonly timers: Timers;
}): BulkRoad {
  const { current, databaseFile, byElement, timers } = needs;
  const threadCount = Math.min(availableParallelism(), maxThreads);
  const retiring = new Set<BulkRoad>();
  const road = perConfig(
    current,
    // What is answered there comes from the database.
    (config) =>
      bulkRoad({
        settings: { config: withoutSecrets(config), databaseFile },
        byElement: byElement(),
        threadCount,
        timers,
      }),
    (before) => {
      retiring.add(before);
      void before.retire().finally(() => retiring.delete(before));
    },
  );
  return {
    takes: (id) => {
      const capability = capabilityOf(id);
      return capability === undefined || (current().serve[capability] ?? embeddedName) === embeddedName;
    },
    receive: (...call) => road().receive(...call),
    close: async () => {
      await Promise.all([road(), ...retiring].map((one) => one.close()));
    },
  };
}
