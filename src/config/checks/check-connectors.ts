import { connectors } from "../../connectors/catalogue.ts";
import { meantSentence, nearestName } from "../../kit/nearest-name.ts";
import type { ConnectorDefinition, Offer } from "../../sdk/connector.ts";
import { type ConfigPath, didYouMean, type Objection, pathOf, pathText } from "../document/config-error.ts";
import { configShape, isPlainObject, unknownKeys, withDefaults } from "../document/config-shape.ts";
import { resolveTexts, type Surroundings } from "../document/resolve-text.ts";
import type { Offers } from "./check-references.ts";
import { fitOptions, wrongOptions } from "./fit-options.ts";

export interface ReadConnectors {
  /** The connectors, ready to be opened: secrets and defaults are filled in. */
  readonly connectors: unknown;
  readonly objections: readonly Objection[];
  readonly secrets: readonly string[];
  /** What each valid connector offers, if its definition states it. */
  readonly offers: Offers;
}

/**
 * Reads each connector's options: fills in secrets and defaults, and checks them with its own schema and validation.
 */
export async function readConnectors(given: unknown, surroundings: Surroundings): Promise<ReadConnectors> {
  // A value of the wrong kind is reported by the schema of the whole file.
  if (!isPlainObject(given)) return { connectors: given, objections: [], secrets: [], offers: new Map() };
  const { value, secrets, paths, objections } = resolveTexts(given, ["connectors"], surroundings);
  const secretFields = new Set(paths.map(pathText));
  const read: Record<string, unknown> = {};
  const found = [...objections];
  const offers = new Map<string, Offer>();
  // Resolving changes only texts, so an object stays an object.
  for (const [name, one] of Object.entries(value as Record<string, unknown>)) {
    read[name] = one;
    if (!isPlainObject(one) || typeof one["type"] !== "string") continue;
    const { type, ...options } = one;
    const reading = await readOne({ path: ["connectors", name], type, options, secretFields, ...surroundings });
    read[name] = { type, ...reading.options };
    if (reading.offer !== undefined) offers.set(name, reading.offer);
    found.push(...reading.objections.filter(({ path }) => !objections.some((other) => isAt(other.path, path))));
  }
  return { connectors: read, objections: found, secrets, offers };
}

const isAt = (one: ConfigPath, other: ConfigPath) => pathText(one) === pathText(other);

export const definitionOf = (type: string): ConnectorDefinition | undefined =>
  // Each definition has options of its own schema; the type of a list of definitions cannot express that.
  (connectors as readonly unknown[] as readonly ConnectorDefinition[]).find((candidate) => candidate.type === type);

/** Other common names of the connector types. */
const otherWords: Readonly<Record<string, string>> = {
  ...{ rest: "http", api: "http", https: "http", odata: "http", json: "http", web: "http" },
  ...{ database: "sql", db: "sql", postgres: "sql", postgresql: "sql", mysql: "sql", mariadb: "sql", sqlserver: "sql" },
  ...{ mssql: "sql", sqlite: "sql", odbc: "sql", file: "files", folder: "files", csv: "files", sftp: "files" },
  ...{ ftp: "files", xml: "files", hook: "webhook", webhooks: "webhook", code: "module", script: "module" },
  ...{ typescript: "module", javascript: "module" },
};

interface Reading {
  readonly options: Record<string, unknown>;
  readonly objections: readonly Objection[];
  readonly offer?: Offer | undefined;
}

async function readOne(one: {
  path: ConfigPath;
  type: string;
  options: Record<string, unknown>;
  secretFields: ReadonlySet<string>;
  folder: string;
}): Promise<Reading> {
  const { path, type, secretFields, folder } = one;
  const definition = definitionOf(type);
  if (definition === undefined || definition.projectionModule !== undefined) {
    const types = connectors
      .filter((candidate) => !("projectionModule" in candidate))
      .map((candidate) => candidate.type);
    const meant = otherWords[type.toLowerCase()] ?? nearestName(type, types);
    const hint = `${didYouMean(meant)}Types: ${types.join(", ")}.`;
    const text = `there is no connector of type ${JSON.stringify(type)} to be configured`;
    return { options: one.options, objections: [{ path: [...path, "type"], text, hint }] };
  }
  const shape = configShape(definition.options);
  const isFromOutside = (inner: ConfigPath) => secretFields.has(pathText([...path, ...inner]));
  const given = definition.complete?.(one.options) ?? one.options;
  const fitted = fitOptions(shape, given, { isFromOutside, folder });
  // Adding defaults to an object gives an object.
  const options = withDefaults(shape, fitted) as Record<string, unknown>;
  const extra = unknownKeys(shape, options);
  const unknown = extra.map(({ path: inner, allowed }) => ({
    path: [...path, ...inner],
    text: `there is no such option of a connector of type ${type}`,
    hint: `${meantSentence(String(inner.at(-1)), allowed)}Options here: ${allowed.join(", ")}.`,
  }));
  const wrong = wrongOptions(definition.options, options, isFromOutside, extra).map((objection) => ({
    ...objection,
    path: [...path, ...objection.path],
  }));
  const formal = [...unknown, ...wrong];
  const own = (await validated(definition, options, formal.length > 0)).map(({ path: inner, text, hint }) => ({
    path: [...path, ...(typeof inner === "string" ? pathOf(inner) : inner)],
    text,
    ...(hint === undefined ? {} : { hint }),
  }));
  const objections = [
    ...formal,
    ...own.filter((objection) => !formal.some((other) => touch(other.path, objection.path))),
  ];
  if (objections.length > 0) return { options, objections };
  return { options, objections, offer: await definition.offers?.(options) };
}

/** Validates as far as possible even with schema errors, so that all errors are reported at once. */
async function validated(definition: ConnectorDefinition, options: Record<string, unknown>, isMalformed: boolean) {
  try {
    return (await definition.validate?.(options)) ?? [];
  } catch (error) {
    // The validation relies on the schema, so it may throw. The schema errors are reported instead.
    if (isMalformed) return [];
    throw error;
  }
}

/**
 * Whether one path is inside the other, or both are in the same operation. Then the schema error explains the other
 * one.
 */
function touch(one: ConfigPath, other: ConfigPath): boolean {
  const depth = Math.min(one.length, other.length, sameOperation);
  return pathText(one.slice(0, depth)) === pathText(other.slice(0, depth));
}

/** The length of the path of an operation: connectors, name, operations, operation. */
const sameOperation = 4;
