import { derivedEvents, isDerivedEvent } from "../../../contract/derived-events.ts";
import { operationIds, operationRow } from "../../../contract/operations.ts";
import { compileMapping, type Mapping, MappingError } from "../../../mapping/compile-mapping.ts";
import {
  elementShape,
  leafShape,
  objectShape,
  type SourceShape,
  shapeOfSchema,
} from "../../../mapping/source/source-shape.ts";
import type { DateSettings } from "../../../operation/dates.ts";
import { type ReadBooks, readsBooks, withBooks } from "../../../operation/event-books.ts";
import { Fault } from "../../../operation/fault.ts";
import { orderOfLane } from "../../../operation/lane.ts";
import type { RecordSent } from "../../../operation/record-sent.ts";
import type { Delivery } from "../../../sdk/connector.ts";
import type { Outgoing } from "../options.ts";
import { type FileStore, folderPath, namePart } from "../store/file-store.ts";

/** The input of an event file's mapping. It is the same on every attempt. */
interface EventSource {
  readonly entryId: string;
  readonly seq: number;
  readonly topic: string;
  readonly receivedAt: string;
  readonly orderNumber: string;
  readonly possibleRepeatOf?: string;
  /** The platform's body; for a list, one element of it. */
  readonly data: unknown;
}

function eventSource(delivery: Delivery, data: unknown): EventSource {
  const { entryId, seq, topic, receivedAt, lanes, possibleRepeatOf } = delivery;
  const orderNumber = lanes.map(({ lane }) => orderOfLane(lane)).find((number) => number !== null) ?? "";
  return {
    ...{ entryId, seq, topic, receivedAt: new Date(receivedAt).toISOString(), orderNumber },
    ...(possibleRepeatOf === undefined ? {} : { possibleRepeatOf }),
    data,
  };
}

/** The shape of a topic's events, for checking a mapping; any shape if the topic is not in the contract. */
export function eventSourceShape(topic: string): SourceShape {
  const id = operationIds.find((one) => one === topic);
  const body = isDerivedEvent(topic) ? derivedEvents[topic].body : id === undefined ? undefined : operationRow(id).body;
  const own = ["entryId", "seq", "topic", "receivedAt", "orderNumber", "possibleRepeatOf"];
  return objectShape({
    ...Object.fromEntries(own.map((name) => [name, leafShape])),
    data: elementShape(shapeOfSchema(body)),
    ...{ order: null, line: null },
  });
}

const parts: Readonly<Record<string, (event: EventSource) => string>> = {
  entryId: ({ entryId }) => entryId,
  // Enough digits for every journal, so that file names sort in the order of the events.
  seq: ({ seq }) => String(seq).padStart(10, "0"),
  topic: ({ topic }) => topic,
  orderNumber: ({ orderNumber }) => orderNumber || "none",
  date: ({ receivedAt }) => receivedAt.slice(0, 10).replaceAll("-", ""),
};
const maxPartBytes = 60;

/** The name of an event's file, made from the pattern. It is the same on every attempt of an entry. */
export function eventName(pattern: string): (event: EventSource) => string {
  if (!pattern.includes("{entryId}")) {
    throw new Fault("invalid", `name: ${pattern} needs {entryId}; without it one event would overwrite another`);
  }
  if (/[/\\\0]/.test(pattern) || /^[.-]/.test(pattern)) {
    throw new Fault("invalid", `name: ${pattern} must be a plain file name; the folder is given by \`folder\``);
  }
  for (const [, name = ""] of pattern.matchAll(/\{([^}]*)\}/g)) {
    if (!Object.hasOwn(parts, name)) {
      throw new Fault(
        "invalid",
        `name: there is no {${name}}; there are ${Object.keys(parts)
          .map((it) => `{${it}}`)
          .join(", ")}`,
      );
    }
  }
  return (event) => pattern.replace(/\{(\w+)\}/g, (_, name: string) => short(namePart(parts[name]?.(event) ?? "")));
}

/** Long numbers are cut. The entry id, which makes the name unique, is short. */
function short(text: string): string {
  let cut = text;
  while (Buffer.byteLength(cut) > maxPartBytes) cut = [...cut].slice(0, -1).join("");
  return cut;
}

type Members = Readonly<Record<string, unknown>>;

export interface EventWriter {
  readonly folder: string;
  /** When this resolves, the complete file is on the disk under its final name. */
  readonly write: (delivery: Delivery, data: unknown, context?: Writing) => Promise<void>;
}

interface Writing {
  readonly record?: RecordSent | undefined;
  readonly books?: ReadBooks | undefined;
}

/** Writes one file per event, as configured. */
export function eventWriter(
  outgoing: Outgoing,
  { store, dates }: { store: FileStore; dates: DateSettings },
): EventWriter {
  const { format = "json", map } = outgoing;
  const folder = folderPath(outgoing.folder ?? "");
  const nameOf = eventName(outgoing.name ?? `{seq}-{topic}-{orderNumber}-{entryId}.${format}`);
  const mapping = map === undefined ? undefined : compiled(map, dates);

  const isBooked = readsBooks(map);
  const contentOf = async (source: EventSource, body: string, books: ReadBooks | undefined): Promise<string> => {
    const elements = Array.isArray(source.data) ? source.data : [source.data];
    const sources = elements.map((data: unknown) => ({ ...source, data }));
    const known = (one: EventSource) => (books === undefined ? one : withBooks(one, books(one.data)));
    const values =
      mapping === undefined ? null : await Promise.all(sources.map((one) => applied(mapping, known(one), one.topic)));
    if (format === "csv") {
      const rows = values ?? sources.map((one) => flatten(one));
      return writeCsv(rows, {
        columns: outgoing.columns ?? (map === undefined ? [...new Set(rows.flatMap(Object.keys))] : Object.keys(map)),
        delimiter: outgoing.delimiter ?? ",",
        header: outgoing.header ?? true,
      });
    }
    const shaped = values === null ? source : Array.isArray(source.data) ? values : values[0];
    if (format === "xml") {
      const root = outgoing.root ?? "event";
      return Array.isArray(shaped) ? writeXml(root, { element: shaped }) : writeXml(root, shaped);
    }
    // Without a mapping the body is written as received: parsing it would change numbers beyond 2^53.
    if (values === null) return `${JSON.stringify({ ...source, data: null }).slice(0, -"null}".length)}${body}}\n`;
    return `${JSON.stringify(shaped)}\n`;
  };

  return {
    folder,
    write: async (delivery, data, { record, books } = {}) => {
      const source = eventSource(delivery, data);
      const content = await contentOf(source, delivery.body, isBooked ? books : undefined);
      const name = nameOf(source);
      const written = record?.({ to: `file ${folder === "" ? name : `${folder}/${name}`}`, body: content });
      await store.write({ folder, name }, Buffer.from(content));
      written?.({});
    },
  };
}

async function applied(mapping: Mapping, source: unknown, topic: string): Promise<Members> {
  const { value, problems } = await mapping.apply(source);
  const [first] = problems;
  // The mapping fails for this event only; the next event may succeed.
  if (first !== undefined)
    throw new Fault("rejected", `the mapping of ${topic} failed at ${first.field}: ${first.text}`);
  // A mapping always makes an object: its rules are the members.
  return value as Members;
}

function compiled(map: unknown, dates: DateSettings): Mapping {
  try {
    return compileMapping(map, { dates });
  } catch (error) {
    if (error instanceof MappingError) throw new Fault("invalid", `map: ${error.message}`, { cause: error });
    throw error;
  }
}

/** Flattens inner objects to dotted names; lists stay as they are. */
function flatten(value: unknown, prefix = ""): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { [prefix || "value"]: value };
  const flat: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const key = prefix === "" ? name : `${prefix}.${name}`;
    const isInner = typeof member === "object" && member !== null && !Array.isArray(member);
    Object.assign(flat, isInner ? flatten(member, key) : { [key]: member });
  }
  return flat;
}

type FlatMembers = Readonly<Record<string, unknown>>;

interface CsvShape {
  readonly columns: readonly string[];
  readonly delimiter: string;
  readonly header: boolean;
}

/** Rows as CSV (RFC 4180). Values are exact: no escaping of what a spreadsheet would read as a formula. */
function writeCsv(rows: readonly FlatMembers[], { columns, delimiter, header }: CsvShape): string {
  const line = (cells: readonly string[]) => `${cells.map((cell) => quoted(cell, delimiter)).join(delimiter)}\r\n`;
  const body = rows.map((row) =>
    line(columns.map((column) => cellText(Object.hasOwn(row, column) ? row[column] : null))),
  );
  return (header ? line(columns) : "") + body.join("");
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function quoted(text: string, delimiter: string): string {
  const mustQuote = text.includes(delimiter) || /["\r\n]/.test(text) || text.trim() !== text;
  return mustQuote ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A value as an XML document: members become elements, those with an `@` become attributes, lists repeat their element. */
export const writeXml = (root: string, value: unknown): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${element(root, value)}\n`;

/** Whether a member can be an element or an attribute. */
const isXmlName = (name: string): boolean => /^@?[\p{L}_][\p{L}\p{N}\p{M}_.·-]*$/u.test(name);

function element(name: string, value: unknown): string {
  if (Array.isArray(value)) return value.map((one) => element(name, one)).join("");
  if (value === null || value === undefined) return `<${name}/>`;
  if (typeof value !== "object") {
    const text = escaped(String(value));
    return text === "" ? `<${name}/>` : `<${name}>${text}</${name}>`;
  }
  // An object: texts, numbers and lists were handled above.
  const members = Object.entries(value as Members).filter(([, member]) => member !== undefined);
  const attributes = members
    .filter(([key, member]) => key.startsWith("@") && member !== null)
    .map(([key, member]) => ` ${xmlName(key.slice(1))}="${escaped(String(member)).replaceAll('"', "&quot;")}"`);
  const content = members
    .filter(([key]) => !key.startsWith("@"))
    .map(([key, member]) => (key === "#text" ? escaped(String(member)) : element(xmlName(key), member)))
    .join("");
  const start = name + attributes.join("");
  return content === "" ? `<${start}/>` : `<${start}>${content}</${name}>`;
}

/** Future members of events may have any name; names that XML does not allow would make the file unreadable. */
const xmlName = (name: string): string => {
  if (isXmlName(name)) return name;
  const cleaned = name.replace(/[^\p{L}\p{N}\p{M}_.·-]/gu, "_");
  return /^[\p{L}_]/u.test(cleaned) ? cleaned : `_${cleaned}`;
};

const mayStand = /[\t\n\r\u007f-\u009f]/;

/** Characters that XML cannot represent at all, not even as a reference, become the replacement character. */
const writable = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\p{Cc}\ufffe\uffff]/gu, (character) => (mayStand.test(character) ? character : "\ufffd"));

const escaped = (text: string): string =>
  writable(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\r", "&#13;");
