import { availableParallelism } from "node:os";
import type { AskId } from "../contract/operations.ts";
import { capabilityOf } from "../engine/capabilities.ts";
import type { BulkRoad } from "../http/bulk-road.ts";
import { type ContractRoad, contractRoad } from "../http/contract-road.ts";
import type { Timers } from "../kit/timers.ts";
import { bulkRoad } from "./bulk-road.ts";
import { embeddedName } from "./check-references.ts";
import type { Config } from "./config-schema.ts";

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
    // Secrets of connectors have no business in another thread: what is answered there comes from the database.
    (config) =>
      bulkRoad({
        settings: { config: { ...config, connectors: {}, senders: {} }, databaseFile },
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
    readPush: (...call) => road().readPush(...call),
    close: async () => {
      await Promise.all([road(), ...retiring].map((one) => one.close()));
    },
  };
}
