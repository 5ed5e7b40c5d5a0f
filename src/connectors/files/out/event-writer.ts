import { writeXml } from "../../../formats/xml/write-xml.ts";
import { compileMapping, type Mapping, MappingError } from "../../../mapping/compile-mapping.ts";
import type { DateSettings } from "../../../operation/dates.ts";
import { Fault } from "../../../operation/fault.ts";
import type { RecordSent } from "../../../operation/record-sent.ts";
import type { Delivery } from "../../../sdk/connector.ts";
import type { Outgoing } from "../options.ts";
import { type FileStore, folderPath } from "../store/file-store.ts";
import { type EventSource, eventName, eventSource } from "./event-source.ts";

type Members = Readonly<Record<string, unknown>>;

export interface EventWriter {
  readonly folder: string;
  /** When this resolves, the complete file is on the disk under its final name. */
  readonly write: (delivery: Delivery, data: unknown, record?: RecordSent) => Promise<void>;
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

  const contentOf = async (source: EventSource, body: string): Promise<string> => {
    const elements = Array.isArray(source.data) ? source.data : [source.data];
    const sources = elements.map((data: unknown) => ({ ...source, data }));
    const values = mapping === undefined ? null : await Promise.all(sources.map((one) => applied(mapping, one)));
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
    write: async (delivery, data, record) => {
      const source = eventSource(delivery, data);
      const content = await contentOf(source, delivery.body);
      const name = nameOf(source);
      const written = record?.({ to: `file ${folder === "" ? name : `${folder}/${name}`}`, body: content });
      await store.write({ folder, name }, Buffer.from(content));
      written?.({});
    },
  };
}

async function applied(mapping: Mapping, source: EventSource): Promise<Members> {
  const { value, problems } = await mapping.apply(source);
  const [first] = problems;
  // The mapping fails for this event only; the next event may succeed.
  if (first !== undefined)
    throw new Fault("rejected", `the mapping of ${source.topic} failed at ${first.field}: ${first.text}`);
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
