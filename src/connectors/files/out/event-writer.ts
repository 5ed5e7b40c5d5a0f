import type { TSchema } from "typebox";
import { changeReceiptSchema } from "../../../contract/change-receipt.ts";
import { derivedEvents, isDerivedEvent } from "../../../contract/derived-events.ts";
import { operationIds, operationRow } from "../../../contract/operations.ts";
import { bytesInTurns, type Pieces } from "../../../kit/json/bytes-in-turns.ts";
import { writeInTurns } from "../../../kit/json/write-in-turns.ts";
import { compileMapping, type Mapping, MappingError } from "../../../mapping/compile-mapping.ts";
import {
  elementShape,
  leafShape,
  memberShapes,
  objectShape,
  type SourceShape,
  shapeOfSchema,
} from "../../../mapping/source/source-shape.ts";
import type { DateSettings } from "../../../operation/dates.ts";
import { type FindSubject, refersToSubject, withSubject } from "../../../operation/event-subject.ts";
import { Fault } from "../../../operation/fault.ts";
import { orderOfLane } from "../../../operation/lane.ts";
import type { RecordSent } from "../../../operation/record-sent.ts";
import type { Delivery } from "../../../sdk/connector.ts";
import { eventIds, type Outgoing } from "../options.ts";
import { type FileStore, folderPath, namePart } from "../store/file-store.ts";
import { columnsOf, csvPieces, flattened } from "./csv-pieces.ts";
import { xmlPieces } from "./xml-pieces.ts";

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

/** The shape of what `out` has under this name, for checking a mapping; for `all`, the members of all it may have. */
export function eventSourceShape(name: string): SourceShape {
  const own = ["entryId", "seq", "topic", "receivedAt", "orderNumber", "possibleRepeatOf"];
  return objectShape({
    ...Object.fromEntries(own.map((name) => [name, leafShape])),
    data: name === "all" ? allShapes : elementShape(shapeOfSchema(bodyOf(name))),
    ...{ order: null, line: null },
  });
}

function bodyOf(name: string): TSchema | undefined {
  if (name === "notices") return changeReceiptSchema;
  if (isDerivedEvent(name)) return derivedEvents[name].body;
  const id = operationIds.find((one) => one === name);
  return id === undefined ? undefined : operationRow(id).body;
}

const allShapes = memberShapes(
  objectShape(Object.fromEntries([...eventIds, "notices"].map((name) => [name, shapeOfSchema(bodyOf(name))]))),
);

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

/** Shortens long numbers. The entry id, which makes the name unique, is short. */
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
  readonly findSubject?: FindSubject | undefined;
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

  const needsSubject = refersToSubject(map);
  const contentOf = async (
    source: EventSource,
    body: string,
    findSubject: FindSubject | undefined,
  ): Promise<Pieces> => {
    const elements = Array.isArray(source.data) ? source.data : [source.data];
    const sources = elements.map((data: unknown) => ({ ...source, data }));
    const known = async (one: EventSource) =>
      findSubject === undefined ? one : withSubject(one, await findSubject(one.data));
    const values =
      mapping === undefined
        ? null
        : await inTurn(sources, async (one) => applied(mapping, await known(one), one.topic));
    if (format === "csv") {
      const rows = values ?? (await flattened(sources));
      return csvPieces(rows, {
        columns: outgoing.columns ?? (map === undefined ? columnsOf(rows) : Object.keys(map)),
        delimiter: outgoing.delimiter ?? ",",
        header: outgoing.header ?? true,
      });
    }
    const shaped = values === null ? source : Array.isArray(source.data) ? values : values[0];
    if (format === "xml") {
      const root = outgoing.root ?? "event";
      return xmlPieces(root, Array.isArray(shaped) ? { element: shaped } : shaped);
    }
    // Without a mapping the body is written as received: parsing it would change numbers beyond 2^53.
    if (values === null) return [JSON.stringify({ ...source, data: null }).slice(0, -"null}".length), body, "}\n"];
    return [(await writeInTurns(shaped)) ?? "", "\n"];
  };

  return {
    folder,
    write: async (delivery, data, { record, findSubject } = {}) => {
      const source = eventSource(delivery, data);
      const content = await bytesInTurns(
        await contentOf(source, delivery.body, needsSubject ? findSubject : undefined),
      );
      const name = nameOf(source);
      const written = record?.({ to: `file ${folder === "" ? name : `${folder}/${name}`}`, body: content });
      await store.write({ folder, name }, content);
      written?.({});
    },
  };
}

/** One after the other: each may hold an order of thousands of lines. */
async function inTurn<One, Made>(all: readonly One[], make: (one: One) => Promise<Made>): Promise<readonly Made[]> {
  const made: Made[] = [];
  for (const one of all) made.push(await make(one));
  return made;
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
