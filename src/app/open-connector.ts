import { embedded } from "../connectors/embedded/connector.ts";
import type { ConnectorDefinition, OpenConnector, OpenContext } from "../sdk/connector.ts";
import type { Config } from "./config-schema.ts";
import { configShape, withDefaults } from "./config-shape.ts";

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
    ...(expireAfterDays === undefined ? {} : { expireAfterDays }),
    ...(pattern === undefined ? {} : { containerPattern: pattern }),
    ...(known === undefined ? {} : { knownContainers: known }),
  };
}

/** Opens the connector that gets the events, where the configuration names one. */
export async function openTarget({
  config,
  ...context
}: OpenContext & { config: Config }): Promise<{ name: string; connector: OpenConnector } | undefined> {
  const name = config.events.to;
  const given = name === undefined ? undefined : config.connectors[name];
  if (name === undefined || given === undefined) return undefined;
  // Loaded only here: an adapter that delivers to nobody does not pay for the catalogue.
  const { connectors } = await import("../connectors/catalogue.ts");
  const { type, ...options } = given;
  const definition = connectors.find((candidate) => candidate.type === type);
  if (definition === undefined) throw new Error(`there is no connector of type ${type}`);
  // Checked against the definition's own schema when the configuration was loaded.
  const opened = definition as ConnectorDefinition;
  const filled = withDefaults(configShape(opened.options), options) as Record<string, unknown>;
  return { name, connector: await opened.open(filled, context) };
}

/** Opens the connector that serves the contract; so far this is always the embedded system. */
export async function openConnector({
  config,
  ...context
}: OpenContext & { config: Config }): Promise<{ connector: OpenConnector; dropCaches: () => void }> {
  const connector = await embedded.open(embeddedOptionsOf(config), context);
  return { connector, dropCaches: connector.dropCaches };
}
