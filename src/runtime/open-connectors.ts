import { statSync } from "node:fs";
import type { Config } from "../app/config-schema.ts";
import { type ConfigShape, configShape, isPlainObject } from "../app/config-shape.ts";
import type { Notebooks } from "../app/notebooks.ts";
import type { ConnectorDefinition, OpenConnector, OpenContext } from "../sdk/connector.ts";
import { closeUnused, type Shared, shared } from "./shared.ts";

export type Opening = Omit<OpenContext, "notebook"> & { readonly notebooks: Pick<Notebooks, "of"> };

/** An open connector and what it was opened with. */
export interface NamedConnector extends Shared {
  readonly name: string;
  readonly type: string;
  readonly connector: OpenConnector;
  /** Everything that its opening depended on: where this is the same, it can stay open. */
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

/** Opens what the configuration names; what is open already with the same options stays. All of them, or none is. */
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
  // Loaded only here: an adapter without connectors does not pay for the catalogue.
  const { definitionOf } = await import("../app/check-connectors.ts");
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
  { notebooks, ...context }: Opening,
): Promise<OpenConnector> {
  try {
    // Checked against the definition's own schema when the configuration was loaded.
    return await definition.open(options, { ...context, notebook: notebooks.of(name) });
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

/** Of the files that the options name: a customer's own code may have changed although its path has not. */
function changeTimes(shape: ConfigShape, options: unknown): (number | null)[] {
  if (!isPlainObject(options)) return [];
  return Object.entries(shape.properties ?? {}).flatMap(([name, member]) => {
    const value = options[name];
    if (member.reopenOnChange !== true || typeof value !== "string") return changeTimes(member, value);
    return [statSync(value, { throwIfNoEntry: false })?.mtimeMs ?? null];
  });
}
