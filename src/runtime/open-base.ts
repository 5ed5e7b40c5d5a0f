import { embeddedName } from "../config/checks/check-references.ts";
import type { Config } from "../config/config-schema.ts";
import { operationIds, operationRow } from "../contract/operations.ts";
import type { Target } from "../engine/queries/routing.ts";
import { type Shared, shared } from "../kit/current-snapshot.ts";
import type { ConnectorDefinition, OpenConnector, OpenContext } from "../sdk/connector.ts";
import { embedded } from "../store/connector.ts";
import type { Opening } from "./connector-state.ts";

/** Answers every operation that is bound to no other connector, and receives the events that have no target. */
export interface Base extends Shared {
  readonly queries: OpenConnector;
  readonly isBooked: boolean;
  readonly target?: Target;
}

/** Opens the base of a configuration, or returns the previous one if nothing it depends on has changed. */
export type OpenBase = (
  config: Config,
  before: { readonly base: Base; readonly config: Config } | null,
) => Promise<Base>;

export interface BaseOpener {
  readonly open: OpenBase;
  /** Drops the caches of all open stores: a request that keeps an older snapshot must not read stale data either. */
  readonly dropCaches: () => void;
}

/** Opens the base: the embedded system, or the connector given as code. */
export function baseOpener({
  outside,
  connectorStates,
  ...context
}: Opening & { outside: ConnectorDefinition | undefined }): BaseOpener {
  /** Drops the caches of each open embedded system. */
  const caches = new Set<() => void>();
  const connectorState = connectorStates.of((outside ?? embedded).type);

  const openGiven = async (definition: ConnectorDefinition): Promise<Base> => {
    const connector = await definition.open({}, { ...context, connectorState });
    // A connector given as code answers everything itself, so it must confirm every event.
    const events = operationIds.filter((id) => operationRow(id).kind === "event");
    const modes = Object.fromEntries(events.map((id) => [id, "direct"]));
    const target = { name: definition.type, connector, modes };
    return { ...shared(() => connector.close()), queries: connector, isBooked: false, target };
  };

  const open: OpenBase = async (config, before) => {
    if (outside !== undefined) return before?.base ?? openGiven(outside);
    const isSame = (other: Config) =>
      JSON.stringify(embeddedOptionsOf(other)) === JSON.stringify(embeddedOptionsOf(config));
    if (before !== null && isSame(before.config)) return before.base;
    const { connector, dropCaches } = await openEmbedded({ config, ...context, connectorState });
    caches.add(dropCaches);
    const close = async () => {
      caches.delete(dropCaches);
      await connector.close();
    };
    return { ...shared(close), queries: connector, isBooked: true };
  };

  return {
    open,
    dropCaches: () => {
      for (const drop of caches) drop();
    },
  };
}

/** Capabilities that bring orders to the floor. */
const orderCapabilities = ["workOrders", "codeLookup", "putWall"] as const;

/** The options of the embedded system, taken from the configuration. */
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

/** Opens the embedded system, which answers every operation that no other connector is bound to. */
export async function openEmbedded({
  config,
  ...context
}: OpenContext & { config: Config }): Promise<{ connector: OpenConnector; dropCaches: () => void }> {
  const connector = await embedded.open(embeddedOptionsOf(config), context);
  return { connector, dropCaches: connector.dropCaches };
}
