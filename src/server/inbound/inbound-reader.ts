import { isUtf8 } from "node:buffer";
import { limits } from "../../contract/limits.ts";
import { type PushTopic, pushRow } from "../../contract/pushes.ts";
import type { Problem } from "../../contract/validate/validator.ts";
import { readElements } from "../../engine/intake/read-push.ts";
import { TwinTable } from "../../engine/intake/twin-table.ts";
import type { Encoding } from "../../formats/encodings/encoding.ts";
import type { FileProfile } from "../../formats/import/file-settings.ts";
import { parseExactJson, parseJsonKeepingDigits } from "../../kit/json/exact-number.ts";
import { jsonPieces } from "../../kit/json/json-pieces.ts";
import { memberPath } from "../../kit/json/member-path.ts";
import { compileMapping, type Mapping } from "../../mapping/compile-mapping.ts";
import { csvRecords } from "../../mapping/documents/csv-records.ts";
import {
  all,
  columnsOf,
  identityMap,
  recordsAt,
  refusedBecause,
  type SourceRecords,
  xmlRecords,
} from "../../mapping/documents/source-records.ts";
import { tableRecords } from "../../mapping/documents/table-records.ts";
import { say } from "../../messages/message.ts";
import type { DateSettings } from "../../operation/dates.ts";
import { problemText } from "../../operation/fault.ts";
import { type JsonReading, readJson } from "../contract/parse-json-body.ts";
import type { InboundOptions } from "./inbound-options.ts";
import type { InboundProblem, InboundReading, RefusedElement } from "./inbound-reading.ts";

/** More fields than any real form has; each costs more memory than it has bytes. */
const maxFields = 10_000;

/**
 * A form as one record: its fields by name, repeated ones as a list. Or the records that are JSON in one of its
 * fields, as webhooks of older systems send them.
 */
function formRecords(
  bytes: Uint8Array,
  path: string | undefined,
  readJson: (bytes: Uint8Array) => JsonReading,
): SourceRecords {
  if (!isUtf8(bytes)) return refusedBecause("the form is not UTF-8");
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  const fields = new Map<string, string | string[]>();
  const spellings = new Map<string, string>();
  let count = 0;
  for (const [name, value] of new URLSearchParams(text)) {
    if (++count > maxFields) return refusedBecause(`the form has more than ${maxFields} fields`);
    if (name === "__proto__") return refusedBecause("a field cannot be named __proto__");
    const spelling = spellings.get(name.toLowerCase());
    // Names are read in any letter case: one of the two values would be lost without a word.
    if (spelling !== undefined && spelling !== name) {
      return refusedBecause(`the fields ${spelling} and ${name} are one name given twice; keep one`);
    }
    spellings.set(name.toLowerCase(), name);
    const known = fields.get(name);
    if (Array.isArray(known)) known.push(value);
    else fields.set(name, known === undefined ? value : [known, value]);
  }
  const form: Record<string, unknown> = Object.fromEntries(fields);
  if (path === undefined) return all([{ row: 1, value: form }], false);
  const first = String(memberPath(path)?.steps[0] ?? "");
  const json = fields.get(first);
  if (typeof json === "string" && /^\s*[{[]/.test(json)) {
    const reading = readJson(Buffer.from(json));
    if ("problem" in reading) return refusedBecause(`the field ${first} is no JSON`);
    const records = recordsAt({ [first]: reading.value }, path);
    return "records" in records ? { ...records, isReady: true } : records;
  }
  const records = recordsAt(form, path);
  return "records" in records ? { ...records, isReady: false } : records;
}

export interface ReaderNeeds {
  readonly dates: DateSettings;
  /** CSV files with custom headings, from the configuration. */
  readonly profiles: readonly FileProfile[];
  readonly encoding?: Encoding;
}

export interface InboundReader {
  readonly read: (bytes: Uint8Array | undefined) => Promise<InboundReading>;
  /** The same, but null as soon as something is wrong: finding out everything that is wrong takes much longer. */
  readonly readIfGood: (bytes: Uint8Array) => Promise<InboundReading | null>;
  /**
   * The same in small pieces: a long JSON list is never in memory as a whole. Positions of elements are those in the
   * whole list; an unreadable piece ends it. Other bodies are one piece.
   */
  readonly readInPieces: (bytes: Uint8Array) => AsyncGenerator<InboundReading>;
}

/** Some hundred elements: read in a few milliseconds, and stored in one commit. */
const pieceBytes = 64 * 1024;
/** Twenty thousand empty elements fit into such a piece; finding all of their errors takes seconds on a busy machine. */
const pieceElements = 2_000;

/** Reads the bodies of one route: bytes, records, mapping, checks. Throws a MappingError if the rules are wrong. */
export function inboundReader(options: InboundOptions, needs: ReaderNeeds): InboundReader {
  const { topic, map, records: path, groupBy, format } = options;
  const { profiles, encoding } = needs;
  const target = pushRow(topic).element;
  const given = map === undefined ? undefined : compileMapping(map, { dates: needs.dates, target });
  // Created on first use: most routes have their own rules, or JSON in the form of the contract.
  let plain: Mapping | undefined;
  const asNamed = () => (plain ??= compileMapping(identityMap(target), { dates: needs.dates, target }));
  // A mapping converts a long number as its target needs; without one, it must not pass as a text.
  const readExactly = (bytes: Uint8Array) =>
    readJson(bytes, undefined, map === undefined ? parseJsonKeepingDigits : parseExactJson);
  const columns = [...columnsOf(map), ...(groupBy === undefined ? [] : [groupBy])];

  const sourceOf = (bytes: Uint8Array): { found: SourceRecords; isList: boolean } | { problem: InboundProblem } => {
    if (format === "form") return { found: formRecords(bytes, path, readExactly), isList: path !== undefined };
    if (format === "xml") return { found: xmlRecords(bytes, path), isList: true };
    if (format === "csv") {
      const settings = {
        ...{ dates: needs.dates, profiles: [...profiles], badRecords: options.badRecords },
        ...(encoding === undefined ? {} : { encoding }),
      };
      const found =
        map === undefined ? csvRecords(bytes, topic, settings) : tableRecords(bytes, { columns, groupBy, settings });
      return { found, isList: true };
    }
    const json = readExactly(bytes);
    if ("problem" in json) return { problem: { field: json.problem.field, text: problemText(json.problem) } };
    if (path !== undefined) return { found: recordsAt(json.value, path), isList: true };
    const isList = Array.isArray(json.value);
    const elements: readonly unknown[] = Array.isArray(json.value) ? json.value : [json.value];
    return {
      found: all(
        elements.map((value, index) => ({ row: index + 1, value })),
        true,
      ),
      isList,
    };
  };

  const readFound = async (
    { found, isList }: { found: SourceRecords; isList: boolean },
    before: Before,
    isQuick = false,
  ): Promise<InboundReading> => {
    if ("refusal" in found) {
      const unreadable = found.refusal.map((one) =>
        typeof one === "string" ? { field: "", text: one } : { field: placeOf(one), text: one.text },
      );
      return { unreadable, problemCount: found.count };
    }
    const mapping = given ?? (found.isReady ? undefined : asNamed());
    return readRecords(found, { topic, mapping, isList, dates: needs.dates, before, isQuick });
  };

  const read: InboundReader["read"] = async (bytes = new Uint8Array()) => {
    const source = sourceOf(bytes);
    if ("problem" in source) return { unreadable: [source.problem], problemCount: 1 };
    return readFound(source, nothingBefore());
  };

  const readIfGood: InboundReader["readIfGood"] = async (bytes) => {
    const source = sourceOf(bytes);
    if ("problem" in source) return null;
    const reading = await readFound(source, nothingBefore(), true);
    return "unreadable" in reading || reading.refused.length > 0 ? null : reading;
  };

  async function* readInPieces(bytes: Uint8Array): AsyncGenerator<InboundReading> {
    const pieces = format === "json" && path === undefined ? jsonPieces(bytes, pieceBytes, pieceElements) : null;
    if (pieces === null) {
      yield await read(bytes);
      return;
    }
    const before = nothingBefore();
    const count = pieces.reduce((sum, { elements }) => sum + elements, 0);
    if (count > limits.elementsPerPush) {
      yield { unreadable: [tooMany("elements", limits.elementsPerPush)], problemCount: 1 };
      return;
    }
    for (const piece of pieces) {
      const json = readExactly(inBrackets(piece.bytes));
      if ("problem" in json) {
        const problem = placedIn(bytes, piece.start, json.problem);
        yield { unreadable: [{ field: problem.field, text: problemText(problem) }], problemCount: 1 };
        return;
      }
      // The added brackets made it a list.
      const elements = json.value as unknown[];
      const records = elements.map((value, index) => ({ row: before.count + index + 1, value }));
      const reading = await readFound({ found: all(records, true), isList: true }, before);
      yield reading;
      before.count += elements.length;
      if ("refused" in reading) before.bad += reading.refused.length;
    }
  }

  return { read, readIfGood, readInPieces };
}

/** What earlier pieces of the same body had. */
interface Before {
  count: number;
  bad: number;
  readonly orders: TwinTable;
}
const nothingBefore = (): Before => ({ count: 0, bad: 0, orders: new TwinTable() });

/** The same memory for every piece: new memory for each would stay allocated until garbage collection. */
const scratch = new Uint8Array(2 * pieceBytes);

/** Valid until the next piece. A single element may be longer than any piece. */
function inBrackets(piece: Uint8Array): Uint8Array {
  const length = piece.length + 2;
  const bytes = length <= scratch.length ? scratch : new Uint8Array(length);
  bytes[0] = 0x5b;
  bytes.set(piece, 1);
  bytes[length - 1] = 0x5d;
  return bytes.subarray(0, length);
}

/** What is said of a push that has too many of something. */
export const tooMany = (what: "elements" | "bad-elements", limit: number): InboundProblem => ({
  field: "",
  text: say(`input.${what}`, { field: "", detail: String(limit), found: "" }),
});

/** The position of a syntax error is given in the whole text. */
function placedIn(bytes: Uint8Array, start: number, problem: Problem): Problem {
  if (problem.expected !== "json") return problem;
  const before = new TextDecoder().decode(bytes.subarray(0, start)).length;
  return { ...problem, detail: String(before + Number(problem.detail ?? 0) - 1) };
}

const placeOf = ({ row, column }: { row: number; column: string }) =>
  row === 0 ? column : column === "" ? `row ${row}` : `row ${row}, ${column}`;

async function readRecords(
  { records, withheld }: Extract<SourceRecords, { records: unknown }>,
  how: {
    readonly topic: PushTopic;
    readonly mapping: Mapping | undefined;
    readonly isList: boolean;
    readonly dates: DateSettings;
    readonly before: Before;
    /** Ends at the first bad record, without all of its problems. */
    readonly isQuick: boolean;
  },
): Promise<InboundReading> {
  const { topic, mapping, isList, dates, before, isQuick } = how;
  const first = before.count;
  const refused: RefusedElement[] = [];
  const elements: unknown[] = [];
  const places: number[] = [];
  for (const [index, { value }] of records.entries()) {
    const mapped = mapping === undefined ? { value, problems: [] } : await mapping.apply(value);
    if (mapped.problems.length > 0) {
      refused.push({ index: isList ? first + index : null, problems: mapped.problems });
      if (isQuick) break;
    } else {
      elements.push(mapped.value);
      places.push(index);
    }
  }
  const mostExplained = Math.max(0, limits.badElementsPerPush - before.bad);
  const settings = { soFar: before.orders, firstIndex: first, isQuick, mostExplained };
  const { good, bad } = readElements(topic, elements, dates, settings);
  for (const { index, problems } of bad) {
    refused.push({
      index: isList ? first + (places[index] ?? index) : null,
      problems: problems.map((problem) => {
        const source = mapping?.sourceOf(problem.field);
        return { field: problem.field, text: problemText(problem), ...(source === undefined ? {} : { source }) };
      }),
    });
  }
  refused.sort((a, b) => (a.index ?? 0) - (b.index ?? 0));
  for (const one of withheld) {
    refused.push({ index: null, row: one.row, problems: [{ field: one.column, text: one.text }] });
  }
  const entries = good.map(({ entry }) => entry);
  return { entries, refused, count: records.length + withheld.length, isList };
}
