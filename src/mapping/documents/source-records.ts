import type { TSchema } from "typebox";
import type { Encoding } from "../../formats/encodings/encoding.ts";
import {
  type DetectedColumn,
  type FileNotes,
  type FileProblem,
  ProblemList,
} from "../../formats/import/file-reading.ts";
import type { FileSettings } from "../../formats/import/file-settings.ts";
import { addIdentifierProblems } from "../../formats/import/json-identifiers.ts";
import { jsonText, mayHoldProto, parseJsonText, protoMembers, unwrapped } from "../../formats/import/read-json.ts";
import { holds, type Where } from "../../formats/import/where.ts";
import { parseXml } from "../../formats/xml/parse-xml.ts";
import { longNumberIn, parseExactJson } from "../../kit/json/exact-number.ts";
import { type MemberPath, memberPath, readSteps } from "../../kit/json/member-path.ts";
import type { OperatorText } from "../../messages/message.ts";

/** One record of a file, unchanged. */
export interface SourceRecord {
  /** Row of the file, or number of the element; counted from 1. */
  readonly row: number;
  readonly value: unknown;
  /** Texts that a CSV file writes as `="…"`, so that nothing takes them for a total or a formula; absent if none. */
  readonly quoted?: readonly string[];
}

/** The content of a file, or why it cannot be read. */
export type SourceRecords =
  | {
      readonly records: readonly SourceRecord[];
      /** Whether the records already have the form of the push table, without a mapping. */
      readonly isReady: boolean;
      /** Records that were left out because they are bad. */
      readonly withheld: readonly FileProblem[];
      readonly withheldCount: number;
      /** Other notes: columns that are not used, records that `where` left out. */
      readonly notes?: FileNotes;
      /** For a CSV file: its columns, and the detected meaning of each. */
      readonly columns?: readonly DetectedColumn[];
    }
  | {
      readonly refusal: readonly (FileProblem | string)[];
      readonly count: number;
      readonly columns?: readonly DetectedColumn[];
    };

export const refusedBecause = (text: OperatorText): Extract<SourceRecords, { refusal: unknown }> => ({
  refusal: [typeof text === "string" ? text : { row: 0, column: "", value: "", text }],
  count: 1,
});
export const all = (records: readonly SourceRecord[], isReady: boolean): SourceRecords => ({
  ...{ records, isReady },
  ...{ withheld: [], withheldCount: 0 },
});

/** The records at a path of a JSON or XML document. A single value counts as a list of one. */
export function recordsAt(document: unknown, path: string): SourceRecords {
  const parsed = memberPath(path);
  if (parsed === null) return refusedBecause(`\`records: ${path}\` is not a path such as Orders.Order`);
  const found = readSteps(document, parsed);
  if (found === undefined) return refusedBecause(`there is nothing at ${path}; correct \`records\` or the file`);
  // An empty element or null is a list without records, like an empty array.
  const elements = Array.isArray(found) ? found : found === null || found === "" ? [] : [found];
  return all(
    elements.map((value: unknown, index) => ({ row: index + 1, value })),
    true,
  );
}

/** The records of a JSON or XML file that meet all conditions; each condition has a path in the record. */
export function recordsWhere(found: SourceRecords, where: Where | undefined): SourceRecords {
  if ("refusal" in found || where === undefined) return found;
  const conditions = Object.entries(where).map(([path, condition]) => ({
    path: memberPath(path) ?? { steps: [path] },
    condition,
  }));
  const records = found.records.filter(({ value }) =>
    conditions.every((one) => holds(one.condition, textAt(value, one.path))),
  );
  const leftOut = found.records.length - records.length;
  return { ...found, records, notes: { unusedColumns: [], dateByConvention: null, ...found.notes, leftOut } };
}

/** The value at a path. An element with attributes has its text in `#text`. */
function textAt(value: unknown, path: Pick<MemberPath, "steps" | "quoted">): unknown {
  const found = readSteps(value, path);
  const isElement = typeof found === "object" && found !== null && Object.hasOwn(found, "#text");
  // The element has this member, as just checked.
  return isElement ? (found as Readonly<Record<string, unknown>>)["#text"] : (longNumberIn(found) ?? found);
}

const inExpressions = /`([^`]+)`|([\p{L}_][\p{L}\p{N}_]*)/gu;

/** The columns that a mapping may read, by which its CSV file is recognised; extra names do no harm. */
export function columnsOf(map: unknown, found = new Set<string>()): string[] {
  if (typeof map === "string" && map.startsWith("=")) {
    for (const [, quoted, plain] of map.matchAll(inExpressions)) found.add(quoted ?? plain ?? "");
  } else if (typeof map === "string") {
    const first = memberPath(map.replace(/^(?:\^\.?)+/, ""))?.steps[0];
    if (typeof first === "string") found.add(first);
  } else if (typeof map === "object" && map !== null) {
    for (const rule of Object.values(map)) columnsOf(rule, found);
  }
  return [...found];
}

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly type?: string | readonly string[];
}

/** Rules for records with the member names of the push table, so that their texts are converted to its types. */
export function identityMap(schema: TSchema): Record<string, unknown> {
  // TSchema hides its members; they are the JSON Schema keywords named above.
  const { properties = {} } = schema as unknown as Shape;
  return Object.fromEntries(
    Object.entries(properties).map(([name, { type, items }]) => {
      const isList = type === "array" || (Array.isArray(type) && type[0] === "array");
      if (!isList || items?.properties === undefined) return [name, { from: name }];
      // A schema's inner schema is a schema too; the library's type is narrower.
      return [name, { each: name, map: identityMap(items as unknown as TSchema) }];
    }),
  );
}

/**
 * The elements of a JSON file: those at the path; otherwise the file itself if it is a list, or the list under a usual
 * name.
 */
export function jsonRecords(
  bytes: Uint8Array,
  needs: {
    readonly listName: string;
    readonly path: string | undefined;
    readonly encoding: Encoding | undefined;
    readonly isMapped: boolean;
    readonly badRecords?: FileSettings["badRecords"];
  },
): SourceRecords {
  const { listName, path } = needs;
  const source = jsonText(bytes, needs.encoding);
  if ("refusal" in source) return { refusal: source.refusal.problems, count: source.refusal.problemCount };
  const { text } = source;
  const parsed = parseJsonText(text, needs.isMapped ? parseExactJson : undefined);
  if ("refusal" in parsed) return { refusal: parsed.refusal.problems, count: parsed.refusal.problemCount };
  if (mayHoldProto(text)) {
    const [first] = protoMembers(parsed.value);
    if (first !== undefined) return refusedBecause(`${first.field}: this name is not allowed; rename the member`);
  }
  if (path !== undefined) {
    const found = recordsAt(parsed.value, path);
    return "refusal" in found || needs.isMapped ? found : withNumbers(found.records, needs.badRecords);
  }
  const list = unwrapped(parsed.value, listName);
  if ("refusal" in list) return { refusal: list.refusal.problems, count: list.refusal.problemCount };
  const { elements, unused } = list;
  const records = elements.map((value, index) => ({ row: index + 1, value }));
  const notes = { leftOut: 0, unusedColumns: unused, dateByConvention: null };
  return { ...(needs.isMapped ? all(records, true) : withNumbers(records, needs.badRecords)), notes };
}

/** Withholds records without a valid identifier, or refuses the file. With a mapping it is too early for this check. */
function withNumbers(records: readonly SourceRecord[], badRecords: FileSettings["badRecords"]): SourceRecords {
  const problems = new ProblemList();
  const good = records.filter(({ row, value }) => !addIdentifierProblems(problems, row, value));
  if (problems.count === 0) return all(records, true);
  if (badRecords !== "quarantine") return { refusal: problems.sorted(), count: problems.count };
  return { ...all(good, true), withheld: problems.sorted(), withheldCount: problems.count };
}

/**
 * The records of an XML file: those at the path; otherwise the repeated elements below the root; otherwise the root.
 */
export function xmlRecords(bytes: Uint8Array, path: string | undefined): SourceRecords {
  const reading = parseXml(bytes);
  if ("flaw" in reading) {
    const { line, column, text } = reading.flaw;
    return refusedBecause(`line ${line}, column ${column}: ${text}`);
  }
  // All values are texts, so even records with the contract's own names need a mapping to become numbers.
  const records = path === undefined ? all(guessed(reading.value), false) : recordsAt(reading.value, path);
  return "records" in records ? { ...records, isReady: false } : records;
}

function guessed(document: Readonly<Record<string, unknown>>) {
  const [root] = Object.values(document);
  const inner = typeof root === "object" && root !== null ? Object.entries(root) : [];
  const [only, ...others] = inner.filter(([name]) => !name.startsWith("@") && name !== "#text");
  const isList = others.length === 0 && typeof only?.[1] === "object" && only[1] !== null;
  const found: unknown = isList ? only[1] : root;
  return (Array.isArray(found) ? found : [found]).map((value: unknown, index) => ({ row: index + 1, value }));
}
