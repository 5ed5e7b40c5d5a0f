import { limits } from "../../contract/limits.ts";
import { type PushTopic, pushRow } from "../../contract/pushes.ts";
import type { Problem } from "../../contract/validate/problem.ts";
import { ContentByNumber } from "../../engine/intake/content-by-number.ts";
import { readElements } from "../../engine/intake/read-push.ts";
import type { Encoding } from "../../formats/encodings/encoding.ts";
import type { FileProfile } from "../../formats/import/file-settings.ts";
import { parseExactJson, parseJsonKeepingDigits } from "../../kit/json/exact-number.ts";
import { jsonPieces } from "../../kit/json/json-pieces.ts";
import { compileMapping, type Mapping } from "../../mapping/compile-mapping.ts";
import { csvRecords } from "../../mapping/documents/csv-records.ts";
import {
  all,
  columnsOf,
  identityMap,
  recordsAt,
  type SourceRecords,
  xmlRecords,
} from "../../mapping/documents/source-records.ts";
import { tableRecords } from "../../mapping/documents/table-records.ts";
import { say } from "../../messages/message.ts";
import type { DateSettings } from "../../operation/dates.ts";
import { problemText } from "../../operation/fault.ts";
import { readJson } from "../contract/parse-json-body.ts";
import { formRecords } from "./form-records.ts";
import type { InboundOptions } from "./inbound-options.ts";
import type { InboundProblem, InboundReading, RefusedElement } from "./inbound-reading.ts";

export interface ReaderNeeds {
  readonly dates: DateSettings;
  /** CSV files with configured headings. */
  readonly profiles: readonly FileProfile[];
  readonly encoding?: Encoding;
}

export interface InboundReader {
  readonly read: (bytes: Uint8Array | undefined) => Promise<InboundReading>;
  /** Returns null as soon as something is wrong: finding every problem takes much longer. */
  readonly readIfGood: (bytes: Uint8Array) => Promise<InboundReading | null>;
  /**
   * Reads in small pieces, so that a long JSON list is never in memory as a whole. Positions of elements are those in
   * the whole list. An unreadable piece ends the reading. Bodies other than lists are one piece.
   */
  readonly readInPieces: (bytes: Uint8Array) => AsyncGenerator<InboundReading>;
}

/** Some hundred elements: they are read in a few milliseconds and stored in one commit. */
const pieceBytes = 64 * 1024;
/**
 * Twenty thousand empty elements would fit into such a piece, and finding all their errors takes seconds on a busy
 * machine.
 */
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
  // A mapping converts a long number to what its target needs. Without a mapping, a long number must not pass as a
  // text.
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
        const problem = placedIn(bytes, piece.start, before.count, json.problem);
        yield { unreadable: [{ field: problem.field, text: problemText(problem) }], problemCount: 1 };
        return;
      }
      // The added brackets have made it a list.
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

/** Counts from earlier pieces of the same body. */
interface Before {
  count: number;
  bad: number;
  readonly orders: ContentByNumber;
}
const nothingBefore = (): Before => ({ count: 0, bad: 0, orders: new ContentByNumber() });

/** All pieces use the same memory: new memory for each would stay allocated until garbage collection. */
const scratch = new Uint8Array(2 * pieceBytes);

/** The result is valid until the next piece. A single element may be longer than any piece. */
function inBrackets(piece: Uint8Array): Uint8Array {
  const length = piece.length + 2;
  const bytes = length <= scratch.length ? scratch : new Uint8Array(length);
  bytes[0] = 0x5b;
  bytes.set(piece, 1);
  bytes[length - 1] = 0x5d;
  return bytes.subarray(0, length);
}

/** The problem of a push that has too many of something. */
export const tooMany = (what: "elements" | "bad-elements", limit: number): InboundProblem => ({
  field: "",
  text: say(`input.${what}`, { field: "", detail: String(limit), found: "" }),
});

/** Moves the place of a problem from the piece to the whole text: the element, or the position of a syntax error. */
function placedIn(bytes: Uint8Array, start: number, elementsBefore: number, problem: Problem): Problem {
  if (problem.expected !== "json") {
    const field = problem.field.replace(/^\[(\d+)\]/, (_, index) => `[${elementsBefore + Number(index)}]`);
    return { ...problem, field };
  }
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
    /** Stops at the first bad record and does not collect all of its problems. */
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
