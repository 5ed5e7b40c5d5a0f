import { statSync } from "node:fs";
import type { Config } from "../config/config-schema.ts";
import { type ConfigShape, configShape, isPlainObject } from "../config/document/config-shape.ts";
import { closeUnused, type Shared, shared } from "../kit/current-snapshot.ts";
import { withFields } from "../kit/log.ts";
import type { ConnectorDefinition, OpenConnector } from "../sdk/connector.ts";
import type { Opening } from "./connector-state.ts";
import { tracedConnector } from "./traced-connector.ts";

/** An open connector and what it was opened with. */
export interface NamedConnector extends Shared {
  readonly name: string;
  readonly type: string;
  readonly connector: OpenConnector;
  /**
   * Everything that the opening of the connector depended on. With the same fingerprint the connector can stay open.
   */
  readonly fingerprint: string;
}

/** Why one connector could not be opened. */
export class NotOpened extends Error {
  readonly connector: string;
  constructor(connector: string, cause: unknown) {
    super(`the connector ${connector} cannot be opened: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
    this.name = "NotOpened";
    this.connector = connector;
  }
}

/** Opens all configured connectors, or none. A connector that is already open with the same options is kept. */
export async function openConnectors({
  config,
  opening,
  open = new Map(),
}: {
  config: Pick<Config, "connectors">;
  opening: Opening;
  open?: ReadonlyMap<string, NamedConnector>;
}): Promise<Map<string, NamedConnector>> {
  const opened = new Map<string, NamedConnector>();
  const names = Object.keys(config.connectors);
  if (names.length === 0) return opened;
  // Loaded only here, so that an adapter without connectors does not load the catalogue.
  const { definitionOf } = await import("../config/checks/check-connectors.ts");
  try {
    for (const name of names) {
      const { type = "", ...options } = config.connectors[name] ?? {};
      const definition = definitionOf(type);
      if (definition === undefined) throw new NotOpened(name, `there is no connector of type ${type}`);
      const print = fingerprint(definition, options, opening);
      const before = open.get(name);
      opened.set(
        name,
        before?.fingerprint === print
          ? before
          : named({ name, type, fingerprint: print, connector: await openOne(name, definition, options, opening) }),
      );
    }
  } catch (error) {
    await Promise.all([...opened.values()].filter((one) => open.get(one.name) !== one).map(closeUnused));
    throw error;
  }
  return opened;
}

const named = (one: Omit<NamedConnector, keyof Shared>): NamedConnector => ({
  ...one,
  ...shared(() => one.connector.close()),
});

async function openOne(
  name: string,
  definition: ConnectorDefinition,
  options: Record<string, unknown>,
  { connectorStates, ...context }: Opening,
): Promise<OpenConnector> {
  // A reader has to know which of two databases a line is about.
  const log = withFields(context.log, { connector: name });
  try {
    // The options were checked against the definition's own schema when the configuration was loaded.
    const opened = await definition.open(options, { ...context, log, connectorState: connectorStates.of(name) });
    return tracedConnector(opened, { name, type: definition.type, options }, context.tracing);
  } catch (error) {
    throw new NotOpened(name, error);
  }
}

function fingerprint(
  { type, options: schema }: ConnectorDefinition,
  options: Record<string, unknown>,
  { dates }: Opening,
): string {
  const { timeZone, timeOfDay } = dates;
  return JSON.stringify([type, options, timeZone, timeOfDay, changeTimes(configShape(schema), options)]);
}

/**
 * Returns the modification times of the files that the options name: a customer's own code can change while its path
 * stays the same.
 */
function changeTimes(shape: ConfigShape, options: unknown): (number | null)[] {
  if (!isPlainObject(options)) return [];
  return Object.entries(shape.properties ?? {}).flatMap(([name, member]) => {
    const value = options[name];
    if (member.reopenOnChange !== true || typeof value !== "string") return changeTimes(member, value);
    return [statSync(value, { throwIfNoEntry: false })?.mtimeMs ?? null];
  });
}
