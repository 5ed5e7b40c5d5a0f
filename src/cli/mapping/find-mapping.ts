import { existsSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { operationIds, operationRow, type QueryId } from "../../contract/operations.ts";
import { type PushTopic, pushTopics } from "../../contract/pushes.ts";
import { NotUtf8, readText } from "../../kit/files/read-text.ts";
import type { DateSettings } from "../../operation/dates.ts";
import { CommandFailure, type Terminal } from "../command.ts";

export interface MappingRequest {
  /** A file that contains only the mapping. */
  readonly mapping: string | undefined;
  readonly config: string | undefined;
  readonly connector: string | undefined;
  readonly operation: string | undefined;
  /** Path of the mapping in the configuration. */
  readonly at: string | undefined;
}

export interface FoundMapping {
  readonly spec: unknown;
  /** Where the mapping stands, relative to the folder of the configuration, to find it again later. */
  readonly place: { readonly file?: string; readonly at?: string };
  /** Path of the records in an answer of the mapping's connector. */
  readonly records: string | undefined;
  /** What the records become, if the place of the mapping shows it; null for an outgoing event. */
  readonly serves: QueryId | PushTopic | null | undefined;
  readonly dates: DateSettings;
  /** The folder of the configuration. */
  readonly folder: string;
}

type Members = Readonly<Record<string, unknown>>;

/** The configuration file; mapping tests are stored in a folder beside it. */
export const configFileOf = ({ config }: Pick<MappingRequest, "config">, { cwd, env }: Terminal): string =>
  resolve(cwd, config ?? (env["CROSSDOCK_CONFIG"]?.trim() || "crossdock.yaml"));

/** Returns the selected mapping as it is written in its file. Secrets are not resolved, so none is needed. */
export async function findMapping(request: MappingRequest, terminal: Terminal): Promise<FoundMapping> {
  const configFile = configFileOf(request, terminal);
  const folder = dirname(configFile);
  if (request.mapping !== undefined) {
    const file = resolve(terminal.cwd, request.mapping);
    const content = await contentOf(file);
    const isOptions = isMembers(content) && isMembers(content["map"]);
    const dates = datesIn(existsSync(configFile) ? await contentOf(configFile) : {});
    const spec = isOptions ? content["map"] : content;
    return {
      spec,
      place: { file: relative(folder, file) },
      ...settingsIn(isOptions ? content : {}, []),
      dates,
      folder,
    };
  }
  const config = await contentOf(configFile);
  const all = mappingsIn(config);
  const chosen = all.filter(({ at, path }) => isMeant(request, at, path));
  const [found] = chosen;
  if (found === undefined || chosen.length > 1) {
    const names = (chosen.length > 1 ? chosen : all).map(({ at }) => `--at ${at}`);
    throw new CommandFailure(`${chosen.length > 1 ? "several mappings match" : "no mapping matches"}`, {
      next:
        names.length === 0
          ? "name a file with --mapping FILE; the configuration has no mapping"
          : `choose one: ${names.join("; ")}`,
    });
  }
  const { at, spec, siblings, path } = found;
  return { spec, place: { at }, ...settingsIn(siblings, path), dates: datesIn(config), folder };
}

function isMeant({ at, connector, operation }: MappingRequest, place: string, path: readonly string[]): boolean {
  if (at !== undefined) return place === at || place === `${at}.map`;
  if (connector !== undefined && !(path[0] === "connectors" && path[1] === connector)) return false;
  return operation === undefined || path.includes(operation);
}

interface InConfig {
  readonly at: string;
  readonly path: readonly string[];
  readonly spec: unknown;
  readonly siblings: Members;
}

/** Every object in a member called `map`, except inside of mappings. */
function mappingsIn(value: unknown, path: readonly string[] = []): InConfig[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const inner = [...path, name];
    if (name !== "map" || !isMembers(member)) return mappingsIn(member, inner);
    // The member was found in this value, so the value is an object.
    return [{ at: inner.join("."), path: inner, spec: member, siblings: value as Members }];
  });
}

function settingsIn(siblings: Members, path: readonly string[]): Pick<FoundMapping, "records" | "serves"> {
  const { records, topic } = siblings;
  return {
    records: typeof records === "string" ? records : undefined,
    serves: isEvent(path) ? null : (path.map(servesOf).find((one) => one !== undefined) ?? servesOf(topic)),
  };
}

const isEvent = (path: readonly string[]): boolean =>
  operationIds.some((id) => operationRow(id).kind === "event" && path.includes(id));

/** What records become, by the name of a push or a query; undefined for any other name. */
export function servesOf(name: unknown): QueryId | PushTopic | undefined {
  const topic = pushTopics.find((one) => one === name);
  if (topic !== undefined) return topic;
  const id = operationIds.find((one) => one === name);
  // The row's kind says that it is a query; the compiler cannot infer that.
  return id !== undefined && operationRow(id).kind === "query" ? (id as QueryId) : undefined;
}

function datesIn(config: unknown): DateSettings {
  const { timeZone, timeOfDay } = isMembers(config) ? config : {};
  return {
    timeZone: typeof timeZone === "string" ? timeZone : "UTC",
    timeOfDay: typeof timeOfDay === "string" ? timeOfDay : "00:00",
  };
}

async function contentOf(file: string): Promise<unknown> {
  const { configDocument } = await import("../../config/document/config-document.ts");
  let text: string;
  try {
    text = readText(file);
  } catch (error) {
    if (error instanceof NotUtf8) throw error;
    throw new CommandFailure(`${file} cannot be read`, { next: "name the file with --mapping or --config" });
  }
  return configDocument(text, file).value;
}

const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);
