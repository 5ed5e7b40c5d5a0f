import { embedded } from "../connectors/embedded/connector.ts";
import type { OpenConnector, OpenContext } from "../sdk/connector.ts";
import type { Config } from "./config-schema.ts";

/** The configuration as the embedded system's options. */
export function embeddedOptionsOf(config: Config) {
  const { expireAfterDays } = config.orders;
  const { pattern, known } = config.containers;
  return {
    timeZone: config.timeZone,
    timeOfDay: config.timeOfDay,
    exportColumns: config.exportColumns,
    indexableValueLabel: config.indexableValueLabel,
    files: config.files,
    ...(expireAfterDays === undefined ? {} : { expireAfterDays }),
    ...(pattern === undefined ? {} : { containerPattern: pattern }),
    ...(known === undefined ? {} : { knownContainers: known }),
  };
}

/** Opens the connector that serves the contract; so far this is always the embedded system. */
export async function openConnector({
  config,
  ...context
}: OpenContext & { config: Config }): Promise<{ connector: OpenConnector; dropCaches: () => void }> {
  const connector = await embedded.open(embeddedOptionsOf(config), context);
  return { connector, dropCaches: connector.dropCaches };
}
