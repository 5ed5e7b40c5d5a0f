import type { TSchema } from "typebox";
import type { Problem } from "../../contract/validate/problem.ts";
import type { Validator } from "../../contract/validate/validator.ts";
import { longNumbersAsText, mayHoldLongNumbers, parseJsonKeepingDigits } from "../../kit/json/exact-number.ts";
import { jsonErrorAt } from "../../kit/json/json-error-at.ts";
import { type JsonFlaw, scanJson } from "../../kit/json/scan-json.ts";
import type { MessageKey } from "../../messages/catalogue.ts";
import { type Message, say } from "../../messages/message.ts";
import { nearestMeasures } from "../../operation/normalise-work-order.ts";
import { asBuffer, decode, type Encoding, withoutEndMark } from "../encodings/encoding.ts";
import { findEncoding, lostLetter } from "../encodings/find-encoding.ts";
import { type Detected, type FileReading, type FileRefusal, ProblemList, readingOf } from "./file-reading.ts";
import type { FileSettings } from "./file-settings.ts";
import { addIdentifierProblems } from "./json-identifiers.ts";

const name = "__proto__";

/**
 * Whether a JSON text may have a member named __proto__: written out, or with escapes that could spell it. For most
 * files this avoids visiting all their members.
 */
export const mayHoldProto = (text: string): boolean =>
  text.includes(name) || (text.includes("u00") && text.includes("\\u00"));

interface ProtoMember {
  /** The path as a person writes it: `requests[0].__proto__`. */
  readonly field: string;
  readonly value: unknown;
}

/** All members named __proto__. They are never legitimate, and careless copying would change a prototype. */
export function* protoMembers(value: unknown, owner = ""): Generator<ProtoMember> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    const field = Array.isArray(value) ? `${owner}[${key}]` : owner === "" ? key : `${owner}.${key}`;
    if (key === name) yield { field, value: member };
    else yield* protoMembers(member, field);
  }
}

/** How the elements of a JSON file become records. */
export interface JsonSubject<Item> {
  /** Members that may contain the list, besides `data`. */
  readonly listName: string;
  readonly schema: TSchema;
  readonly validator: Validator;
  readonly normalise: (element: unknown) => { record: Item } | { problems: readonly Problem[] };
  readonly keyOf: (record: Item) => string;
}

/** Deeper values would overflow the stack when they are serialised again. */
const maxDepth = 100;

interface Needs<Item> {
  readonly bytes: Uint8Array;
  readonly subject: JsonSubject<Item>;
  readonly settings: FileSettings;
}

export function readJson<Item>(needs: Needs<Item>): FileReading<Item> {
  const { subject, settings } = needs;
  const source = jsonText(needs.bytes, settings.encoding);
  if ("refusal" in source) return source.refusal;
  const { text, encoding } = source;
  const parsed = parseJsonText(text);
  if ("refusal" in parsed) return parsed.refusal;
  const detected: Detected = { kind: "json", encoding, profile: null, confidence: 1, columns: [] };
  const problems = new ProblemList();
  const kept = new Map<string, { readonly row: number; readonly record: Item; isBad: boolean }>();
  let badCount = 0;
  const nearest = nearestMeasures(subject.schema);
  const isLong = mayHoldLongNumbers(text);
  const isSuspect = mayHoldProto(text);
  const list = unwrapped(parsed.value, subject.listName);
  if ("refusal" in list) return list.refusal;
  const { elements, wrapping, unused } = list;
  if (isSuspect && addProtos(problems, 1, wrapping)) {
    return readingOf({ records: [], badCount, problems, detected, isPartial: false });
  }
  const isPartial = settings.badRecords === "quarantine";
  for (const [index, raw] of elements.entries()) {
    if (problems.isFull && !isPartial) break;
    const row = index + 1;
    const holdsProto = isSuspect && addProtos(problems, row, raw);
    const element = nearest(subject.validator.canonical(raw));
    const found = subject.validator.isValid(element)
      ? subject.normalise(element)
      : { problems: problems.isFull ? [uncounted] : subject.validator.problems(element) };
    if ("problems" in found) for (const problem of found.problems) addProblem(problems, row, problem);
    const hasNoNumber = addIdentifierProblems(problems, row, element);
    if ("problems" in found || holdsProto || hasNoNumber) {
      badCount++;
      continue;
    }
    // The record may be sent to another thread. Only members outside the contract can have long numbers.
    const record = isLong ? (longNumbersAsText(found.record) as Item) : found.record;
    const key = subject.keyOf(record);
    const earlier = kept.get(key);
    if (earlier === undefined) kept.set(key, { row, record, isBad: false });
    else if (JSON.stringify(earlier.record) !== JSON.stringify(record)) {
      problems.add("files.cell.duplicate", { row, column: "number", value: key }, { otherRow: earlier.row });
      earlier.isBad = true;
    }
  }
  const good = [...kept.values()].filter(({ isBad }) => !isBad);
  const records = good.map(({ record }) => record);
  badCount += kept.size - good.length;
  const notes = { leftOut: 0, unusedColumns: unused, dateByConvention: null };
  return readingOf({ records, badCount, problems, detected, isPartial, notes });
}

/** Stands for all problems of a further bad element of a file whose good ones are read. */
const uncounted: Problem = { field: "", expected: "valid" };

function addProblem(problems: ProblemList, row: number, { field, expected, detail = "", found = "" }: Problem): void {
  // Every expectation has a text of that name; a test compares both lists.
  problems.add(`files.cell.${expected}` as MessageKey, { row, column: field, literal: found }, { detail });
}

/**
 * Reports members named __proto__. A request with such a member is refused, so a file is too: its meaning would depend
 * on the reader.
 */
function addProtos(problems: ProblemList, row: number, value: unknown): boolean {
  const before = problems.count;
  for (const { field, value: found } of protoMembers(value)) {
    problems.add("files.cell.reserved-name", { row, column: field, literal: JSON.stringify(found) });
  }
  return problems.count > before;
}

/** The list of a file, and what stands around it. */
interface Unwrapped {
  readonly elements: unknown[];
  readonly wrapping?: unknown;
  /** Names of the members around it: a person may have meant them to be read, such as the address of a next page. */
  readonly unused: readonly string[];
}

/** The list inside, in any of the usual wrappers, and the members around it. Of two lists nobody knows which is meant. */
export function unwrapped(value: unknown, listName: string): Unwrapped | { readonly refusal: FileRefusal } {
  if (Array.isArray(value)) return { elements: value, unused: [] };
  const members = Object.entries<unknown>(Object(value));
  const usual = ["data", listName.toLowerCase()];
  const lists = members.filter(([name, member]) => usual.includes(name.toLowerCase()) && Array.isArray(member));
  const [list, second] = lists;
  if (list === undefined) return { elements: [value], unused: [] };
  if (second !== undefined) {
    return { refusal: wholeRefusal(say("files.two-lists", { name: list[0], otherName: second[0] })) };
  }
  const others = members.filter((member) => member !== list);
  const unused = others.map(([name]) => name.slice(0, longestName).toWellFormed());
  // A list, by the check above.
  return { elements: list[1] as unknown[], wrapping: Object.fromEntries(others), unused };
}

const longestName = 40;

/** The text of a JSON file, if its encoding is certain. */
export function jsonText(
  bytes: Uint8Array,
  fixed: Encoding | undefined,
): { text: string; encoding: Encoding } | { refusal: FileRefusal } {
  const found = findEncoding(bytes, fixed);
  if ("refusal" in found) return { refusal: wholeRefusal(found.refusal) };
  const text = decode(withoutEndMark(asBuffer(bytes)), found.encoding, found.markLength);
  const lost = /\\ufffd/i.exec(text);
  if (lost !== null) {
    const sample = text.slice(Math.max(0, lost.index - 12), lost.index + 12);
    return { refusal: wholeRefusal(lostLetter(Buffer.from(text.slice(0, lost.index)), sample)) };
  }
  return { text, encoding: found.encoding };
}

/** A JSON text as a value, or where and why it is invalid. */
export function parseJsonText(
  text: string,
  parse: (text: string) => unknown = parseJsonKeepingDigits,
): { value: unknown } | { refusal: FileRefusal } {
  const flaw = scanJson(Buffer.from(text), { depth: maxDepth });
  if (flaw?.flaw === "depth") return { refusal: refusal("files.too-deep", { depth: maxDepth }) };
  try {
    const value = parse(text);
    return flaw === null ? { value } : { refusal: flawRefusal(flaw) };
  } catch {
    const before = text.slice(0, jsonErrorAt(text) ?? text.length);
    const line = before.split("\n").length;
    return { refusal: refusal("files.not-json", { line, column: before.length - before.lastIndexOf("\n") }) };
  }
}

/** `workOrders[3].requests[0].itemNumber`: the list, the number of the element, and the path in it. */
const elementPath = /^[^.[\]]*\[(\d+)\]\.?(.*)$/;

/** Parsers differ in which of two equal members they keep, so the file is refused. */
function flawRefusal({ flaw, field }: JsonFlaw): FileRefusal {
  const [, index, path = field] = elementPath.exec(field) ?? [];
  const problems = new ProblemList();
  // Depth was checked before, and there is no other limit: only these two flaws remain.
  const key = flaw === "lone-surrogate" ? "files.cell.lone-surrogate" : "files.cell.duplicate-member";
  problems.add(key, { row: Number(index ?? 0) + 1, column: path });
  const message = say("files.refused", { count: 1 });
  return { ...wholeRefusal(message), problems: problems.sorted() };
}

const refusal = (key: MessageKey, values: Readonly<Record<string, number>>): FileRefusal =>
  wholeRefusal(say(key, values));

export function wholeRefusal(message: Message): FileRefusal {
  const { line, row } = message.values;
  const problem = { row: Number(line ?? row ?? 1), column: "", value: "", text: message };
  return { ok: false, result: "InvalidInput", message, problems: [problem], problemCount: 1, detected: null };
}
