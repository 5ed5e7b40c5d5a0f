import { FileType } from "../../contract/enums.ts";
import {
  type PushedItem,
  type PushedWorkOrder,
  pushedItemSchema,
  pushedWorkOrderSchema,
} from "../../contract/pushes.ts";
import type { FileUpload } from "../../contract/schemas/queries.ts";
import type { Item, WorkOrder } from "../../contract/schemas/work-order.ts";
import { validator } from "../../contract/validate/validator.ts";
import { decodeBase64 } from "../../kit/base64.ts";
import type { MessageKey } from "../../messages/catalogue.ts";
import { type Message, say } from "../../messages/message.ts";
import { normaliseItem, normaliseWorkOrder } from "../../operation/normalise-work-order.ts";
import { type Ok, type Outcome, ok, type Refusal, refuse } from "../../operation/outcome.ts";
import { noteValues } from "../csv/csv-notes.ts";
import { detectCsv, type Subject } from "../csv/detect-csv.ts";
import { headerIndex } from "../csv/map-columns.ts";
import { type BuilderOf, readCsv } from "../csv/read-csv.ts";
import { asBuffer } from "../encodings/encoding.ts";
import { ItemBuilder } from "../fields/item-builder.ts";
import { itemFields } from "../fields/item-fields.ts";
import { OrderBuilder } from "../fields/order-builder.ts";
import { orderFields } from "../fields/order-fields.ts";
import { foreignKind } from "./file-kind.ts";
import { type FileNotes, type FileReading, type FileRefusal, ProblemList } from "./file-reading.ts";
import type { FileSettings } from "./file-settings.ts";
import { lookAlike, type NumberedRecord } from "./json-identifiers.ts";
import { type JsonSubject, readJson, wholeRefusal } from "./read-json.ts";

interface FileSubject<Record> {
  readonly csv: Subject;
  /** Whether a row without a number belongs to the row above. */
  readonly hasHeadRows: boolean;
  readonly builder: BuilderOf<Record>;
  readonly json: (settings: FileSettings) => JsonSubject<Record>;
}

const orderValidator = validator(pushedWorkOrderSchema);
const itemValidator = validator(pushedItemSchema);

const workOrders: FileSubject<WorkOrder> = {
  csv: { fields: orderFields, index: headerIndex(orderFields) },
  hasHeadRows: true,
  builder: (cells, map, apart) => new OrderBuilder(cells, map, apart),
  json: ({ dates }) => ({
    listName: "workOrders",
    schema: pushedWorkOrderSchema,
    validator: orderValidator,
    normalise: (element) => {
      // The validator has just accepted it as a pushed order.
      const result = normaliseWorkOrder(element as PushedWorkOrder, dates);
      return "workOrder" in result ? { record: result.workOrder } : result;
    },
    keyOf: (order) => order.number,
  }),
};

const items: FileSubject<Item> = {
  csv: { fields: itemFields, index: headerIndex(itemFields) },
  hasHeadRows: false,
  builder: (cells, map, apart) => new ItemBuilder(cells, map, apart),
  json: () => ({
    listName: "items",
    schema: pushedItemSchema,
    validator: itemValidator,
    // The validator has accepted it as a pushed item.
    normalise: (element) => ({ record: normaliseItem(element as PushedItem) }),
    keyOf: (item) => item.number,
  }),
};

/** Reads a work order file. The sender's file type is only a hint; the bytes decide. */
export const readWorkOrderFile = (
  bytes: Uint8Array,
  fileType: number,
  settings: FileSettings,
): FileReading<WorkOrder> => readFile(workOrders, bytes, fileType, settings);

export const readItemFile = (bytes: Uint8Array, fileType: number, settings: FileSettings): FileReading<Item> =>
  readFile(items, bytes, fileType, settings);

function readFile<Record>(
  subject: FileSubject<Record>,
  bytes: Uint8Array,
  fileType: number,
  settings: FileSettings,
): FileReading<Record> {
  const isKnownType = fileType === FileType.Json || fileType === FileType.Csv;
  if (!isKnownType) return unsupported("files.unknown-type", { fileType: String(fileType) });
  const foreign = foreignKind(bytes);
  if (foreign !== null) return unsupported(`files.kind.${foreign}`);
  const start = firstCharacter(bytes);
  if (start === undefined && bytes.length <= startLength) return invalid(say("files.empty"));
  const looksLikeJson = start === "{" || start === "[";
  const json = () => readJson({ bytes, subject: subject.json(settings), settings });
  if (looksLikeJson && fileType === FileType.Json) return json();
  if (looksLikeJson) {
    const reading = json();
    if (reading.ok || reading.detected !== null || reading.message.key !== "files.not-json") return reading;
  }
  const layout = detectCsv(bytes, subject.csv, settings);
  const refusal = layoutRefusal(bytes, layout);
  if (layout === null || "refusal" in layout || refusal !== null) {
    const isNoTable = layout === null || (!("refusal" in layout) && layout.map.columns.length === 0);
    const mayBeJson = fileType === FileType.Json || looksLikeJson;
    return mayBeJson && isNoTable ? json() : (refusal ?? invalid(say("files.empty")));
  }
  return readCsv({ bytes, layout, settings, builder: subject.builder, hasHeadRows: subject.hasHeadRows });
}

/** The settings for streaming CSV files of orders or items. */
export const csvSubjects = { workOrders, items } as const;

/** Why the start of a file shows that it is not a CSV file we can read; null if it may be one. */
export function startRefusal(start: Uint8Array): FileRefusal | null {
  const foreign = foreignKind(start);
  return foreign === null ? null : unsupported(`files.kind.${foreign}`);
}

const startLength = 1_024;

/** The first character that is not white space, in any encoding: the relevant ones are ASCII. */
const firstCharacter = (bytes: Uint8Array): string | undefined =>
  asBuffer(bytes.subarray(0, startLength))
    .toString("latin1")
    .replace(/^(?:ï»¿|ÿþ|þÿ)/, "")
    .replace(/\0/g, "")
    .trimStart()[0];

/** Why a file cannot be read with the detected layout; null if it can. The start of the file is enough. */
export function layoutRefusal(bytes: Uint8Array, layout: ReturnType<typeof detectCsv>): FileRefusal | null {
  if (layout === null) return invalid(say("files.empty"));
  if ("refusal" in layout) {
    const isBinary = layout.refusal.key === "files.encoding.unsure" && asBuffer(bytes).subarray(0, 4_096).includes(0);
    return isBinary ? unsupported("files.kind.binary") : wholeRefusal(layout.refusal);
  }
  const { map } = layout;
  if (map.columns.length === 0) {
    if (layout.isTooWide) return invalid(say("files.header.too-wide"));
    if (bytes.subarray(0, 4_096).includes(0)) return unsupported("files.kind.binary");
    const found = map.all.slice(0, 8).map(({ header }) => header.slice(0, 30));
    return { ...invalid(say("files.header.unknown", { columns: found.join(", ") })), columns: map.all };
  }
  const problems = new ProblemList();
  const { headerRow: row } = layout;
  for (const { name } of map.missing) problems.add("files.header.missing", { row, column: name });
  for (const header of map.repeated) problems.add("files.header.twice", { row, column: header });
  if (problems.count === 0) return null;
  const message = say("files.refused", { count: problems.count });
  return { ...invalid(message), problems: problems.sorted(), problemCount: problems.count, columns: map.all };
}

const invalid = (message: Message): FileRefusal => refused("InvalidInput", message);
const unsupported = (key: MessageKey, values: Message["values"] = {}) => refused("FileNotSupported", say(key, values));

function refused(result: FileRefusal["result"], message: Message): FileRefusal {
  return { ok: false, result, message, problems: [], problemCount: 0, detected: null };
}

/** The answer to POST /WorkOrders/File. The order numbers are remembered as known, not as available. */
export function workOrderFileOutcome(upload: FileUpload, settings: FileSettings): Outcome<"parseWorkOrderFile"> {
  const outcome = outcomeOf(upload, (bytes) => readWorkOrderFile(bytes, upload.fileType, settings));
  if (!outcome.ok) return outcome;
  const numbers = outcome.data.map((order) => order.number);
  return { ...outcome, facts: numbers.length === 0 ? [] : [{ topic: "knownOrders", lane: "", payload: { numbers } }] };
}

/** The answer to POST /Items/File. */
export const itemFileOutcome = (upload: FileUpload, settings: FileSettings): Outcome<"parseItemFile"> =>
  outcomeOf(upload, (bytes) => readItemFile(bytes, upload.fileType, settings));

function outcomeOf<Item extends NumberedRecord>(
  upload: FileUpload,
  read: (bytes: Uint8Array) => FileReading<Item>,
): (Ok<Item[]> & { data: Item[] }) | Refusal<"InvalidInput" | "FileNotSupported"> {
  const bytes = decodeBase64(upload.fileContent);
  if (bytes === null) return withProblem("files.bad-base64");
  if (bytes.length === 0) return withProblem("files.empty");
  const reading = read(bytes);
  if (!reading.ok) {
    // Not a row problem: a picture, for example, has no rows to report.
    if (reading.result === "FileNotSupported") return refuse(reading.result, reading.message);
    const problems = reading.problems.map(({ text }) => text);
    return reading.problemCount === 0
      ? refuse(reading.result, reading.message, { problems: [reading.message] })
      : refuse(reading.result, reading.message, { problems, problemCount: reading.problemCount });
  }
  const data = [...reading.records];
  const notes = notesOn(data, reading.notes);
  if (reading.withheld !== null) {
    const { recordCount, problems } = reading.withheld;
    const first = problems[0];
    const values = { good: data.length, bad: recordCount, row: first?.row ?? 0, ...notes };
    return { ...ok(data), data, message: say("files.partial", values) };
  }
  if (data.length === 0) return { ...ok(data), data, message: say("files.no-records", notes) };
  const message = readText(data.length, notes);
  return message === null ? { ...ok(data), data } : { ...ok(data), data, message };
}

/** What a person should look at although a file was read; null: nothing. */
export function doubtsOf<Item extends NumberedRecord>(reading: FileReading<Item> & { readonly ok: true }) {
  const { records, notes } = reading;
  // The columns that are not used, and how many rows were left out, are facts.
  const doubtful = notes === undefined ? undefined : { ...notes, leftOut: 0, unusedColumns: [] };
  return readText(records.length, notesOn(records, doubtful));
}

type NoteValues = Readonly<Record<string, string | number>>;

function notesOn(records: readonly NumberedRecord[], notes: FileNotes | undefined): NoteValues {
  const alike = lookAlike(records);
  return { ...noteValues(notes), ...(alike === undefined ? {} : { alike }) };
}

const readText = (good: number, notes: NoteValues): Message | null =>
  Object.keys(notes).length === 0 ? null : say("files.read", { good, ...notes });

function withProblem(key: "files.bad-base64" | "files.empty"): Refusal<"InvalidInput"> {
  return refuse("InvalidInput", say(key), { problems: [say(key)] });
}
