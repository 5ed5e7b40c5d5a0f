import { capabilityOf } from "../engine/capabilities.ts";
import type { BulkRoad } from "../http/bulk-road.ts";
import { type ContractRoad, contractRoad } from "../http/contract-road.ts";
import { bulkThread } from "./bulk-thread.ts";
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

/** The thread of the configuration that holds when a body arrives; what an earlier one has begun it ends. */
export function liveBulk({ current, databaseFile }: { current: () => Config; databaseFile: string }): BulkRoad {
  const retiring = new Set<BulkRoad>();
  const thread = perConfig(
    current,
    // Secrets of connectors have no business in another thread: what is answered there comes from the database.
    (config) => bulkThread({ config: { ...config, connectors: {}, senders: {} }, databaseFile }),
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
    ask: (...call) => thread().ask(...call),
    readPush: (...call) => thread().readPush(...call),
    close: async () => {
      await Promise.all([thread(), ...retiring].map((one) => one.close()));
    },
  };
}
