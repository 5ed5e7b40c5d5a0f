import { embeddedName } from "../app/check-references.ts";
import type { Config } from "../app/config-schema.ts";
import { embedded } from "../connectors/embedded/connector.ts";
import type { OpenConnector, OpenContext } from "../sdk/connector.ts";

/** What brings orders to the floor. */
const orderCapabilities = ["workOrders", "codeLookup", "putWall"] as const;

/** The configuration as the embedded system's options. */
export function embeddedOptionsOf(config: Config) {
  const { expireAfterDays, removedReceiptAfterMinutes } = config.orders;
  const { pattern, known } = config.containers;
  return {
    timeZone: config.timeZone,
    timeOfDay: config.timeOfDay,
    exportColumns: config.exportColumns,
    indexableValueLabel: config.indexableValueLabel,
    files: config.files,
    removedReceiptAfterMinutes,
    servesOrders: orderCapabilities.every((name) => (config.serve[name] ?? embeddedName) === embeddedName),
    ...(expireAfterDays === undefined ? {} : { expireAfterDays }),
    ...(pattern === undefined ? {} : { containerPattern: pattern }),
    ...(known === undefined ? {} : { knownContainers: known }),
  };
}

/** Opens the embedded system, which answers whatever no other connector is bound to. */
export async function openEmbedded({
  config,
  ...context
}: OpenContext & { config: Config }): Promise<{ connector: OpenConnector; dropCaches: () => void }> {
  const connector = await embedded.open(embeddedOptionsOf(config), context);
  return { connector, dropCaches: connector.dropCaches };
}
