import { existsSync, readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { operationIds, operationRow, type QueryId } from "../../contract/operations.ts";
import { type PushTopic, pushTopics } from "../../contract/pushes.ts";
import type { DateSettings } from "../../operation/dates.ts";
import { CommandFailure, type Terminal } from "../command.ts";

export interface MappingRequest {
  /** A file that holds nothing but the mapping. */
  readonly mapping: string | undefined;
  readonly config: string | undefined;
  readonly connector: string | undefined;
  readonly operation: string | undefined;
  /** Path of the mapping in the configuration. */
  readonly at: string | undefined;
}

export interface FoundMapping {
  readonly spec: unknown;
  /** How to find it again, from the folder of the configuration. */
  readonly place: { readonly file?: string; readonly at?: string };
  /** Where its connector finds the records in an answer. */
  readonly records: string | undefined;
  /** What the records become, where the place tells; null for an event on its way out. */
  readonly serves: QueryId | PushTopic | null | undefined;
  readonly dates: DateSettings;
  /** Of the configuration. */
  readonly folder: string;
}

type Members = Readonly<Record<string, unknown>>;

/** Where configuration and mapping tests lie. */
export const configFileOf = ({ config }: Pick<MappingRequest, "config">, { cwd, env }: Terminal): string =>
  resolve(cwd, config ?? (env["CROSSDOCK_CONFIG"]?.trim() || "crossdock.yaml"));

/** The mapping that is meant, taken out of its file as it is written there: no secret is needed for that. */
export async function findMapping(request: MappingRequest, terminal: Terminal): Promise<FoundMapping> {
  const configFile = configFileOf(request, terminal);
  const folder = dirname(configFile);
  if (request.mapping !== undefined) {
    const file = resolve(terminal.cwd, request.mapping);
    const content = await contentOf(file);
    const isOptions = isMembers(content) && isMembers(content["map"]);
    const dates = datesIn(existsSync(configFile) ? await contentOf(configFile) : {});
    const spec = isOptions ? content["map"] : content;
    return { spec, place: { file: relative(folder, file) }, ...besideOf(isOptions ? content : {}, []), dates, folder };
  }
  const config = await contentOf(configFile);
  const all = mappingsIn(config);
  const chosen = all.filter(({ at, path }) => isMeant(request, at, path));
  const [found] = chosen;
  if (found === undefined || chosen.length > 1) {
    const names = (chosen.length > 1 ? chosen : all).map(({ at }) => `--at ${at}`);
    throw new CommandFailure(`${chosen.length > 1 ? "several mappings are" : "no mapping is"} meant by that`, {
      next:
        names.length === 0
          ? "name a file with --mapping FILE; the configuration has no mapping"
          : `choose one: ${names.join("; ")}`,
    });
  }
  const { at, spec, beside, path } = found;
  return { spec, place: { at }, ...besideOf(beside, path), dates: datesIn(config), folder };
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
  readonly beside: Members;
}

/** Every object below a member called `map`, except inside of mappings. */
function mappingsIn(value: unknown, path: readonly string[] = []): InConfig[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const inner = [...path, name];
    if (name !== "map" || !isMembers(member)) return mappingsIn(member, inner);
    // It has members: this is one of them.
    return [{ at: inner.join("."), path: inner, spec: member, beside: value as Members }];
  });
}

function besideOf(beside: Members, path: readonly string[]): Pick<FoundMapping, "records" | "serves"> {
  const { records, topic } = beside;
  return {
    records: typeof records === "string" ? records : undefined,
    serves: isEvent(path) ? null : (path.map(servesOf).find((one) => one !== undefined) ?? servesOf(topic)),
  };
}

const isEvent = (path: readonly string[]): boolean =>
  operationIds.some((id) => operationRow(id).kind === "event" && path.includes(id));

/** What records become, by the name of a push or of a question; undefined for every other word. */
export function servesOf(name: unknown): QueryId | PushTopic | undefined {
  const topic = pushTopics.find((one) => one === name);
  if (topic !== undefined) return topic;
  const id = operationIds.find((one) => one === name);
  // The row's kind says that it is a question; the type cannot follow.
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
    text = readFileSync(file, "utf8");
  } catch {
    throw new CommandFailure(`${file} cannot be read`, { next: "name the file with --mapping or --config" });
  }
  return configDocument(text, file).value;
}

const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);
