import { pushTopics } from "../../contract/pushes.ts";
import type { Expectation } from "../../contract/validate/validator.ts";
import { integer, type Row, row, text, textOf } from "../../kit/sqlite/row.ts";
import type { SqlValue } from "../../kit/sqlite/sqlite.ts";
import type { BadRecord, QuarantineProblem, QuarantineRecord } from "./quarantine.ts";

export const quarantineRow = row({
  id: integer,
  source: text,
  kind: textOf(...pushTopics),
  key: text,
  number: text,
  origin: text,
  problems: text,
  problem_count: integer,
  fix: text,
  first_seen_at: integer,
  last_seen_at: integer,
  count: integer,
  raw: text,
  is_raw_cut: integer,
});
export const decisionRow = row({
  id: integer,
  at: integer,
  operator: text,
  reason: text,
  source: text,
  kind: text,
  number: text,
  problems: text,
});

/** A record without what came in, which may be long. */
const { key: _key, raw: _raw, is_raw_cut: _isRawCut, ...listed } = quarantineRow.columns;
export const listedRow = row(listed);
type ListedRow = Row<typeof listedRow>;

const maxRawBytes = 64 * 1024;
const maxProblems = 100;
const maxNumberLength = 200;
const maxOriginLength = 500;

/** The stored part of a bad record, from `number` to `is_raw_cut`; every part is bounded. */
export function rowOf({ number, origin = "", problems, sourceOf, raw }: BadRecord): SqlValue[] {
  const kept = problems.slice(0, maxProblems).map((problem): QuarantineProblem => {
    const sourceField = sourceOf?.(problem.field);
    const note = mappingNote(raw, problem.field);
    return {
      ...problem,
      ...(sourceField === undefined ? {} : { sourceField }),
      ...(note === undefined ? {} : { mappingNote: note }),
    };
  });
  const text = JSON.stringify(raw) ?? "null";
  const cut = cutToBytes(text, maxRawBytes);
  return [
    number.slice(0, maxNumberLength),
    origin.slice(0, maxOriginLength),
    JSON.stringify(kept),
    problems.length,
    suggestedFix(kept),
    cut,
    cut.length < text.length ? 1 : 0,
  ];
}

export const recordOf = (row: ListedRow): QuarantineRecord => ({
  id: row.id,
  source: row.source,
  kind: row.kind,
  number: row.number,
  origin: row.origin,
  // Written by rowOf above.
  problems: JSON.parse(row.problems) as QuarantineProblem[],
  problemCount: row.problem_count,
  fix: row.fix,
  firstSeenAt: row.first_seen_at,
  lastSeenAt: row.last_seen_at,
  count: row.count,
});

function cutToBytes(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text;
  // Decoding drops the rest of a character that was cut in two.
  return new TextDecoder().decode(Buffer.from(text).subarray(0, maxBytes)).replace(/\uFFFD$/, "");
}

/**
 * The mapping's message about a member that it could not make. It stands in the member's place as `{ problem }`
 * (src/mapping/run.ts), and is more helpful than "wrong type".
 */
function mappingNote(record: unknown, field: string): string | undefined {
  let value = record;
  for (const step of field.split(/[.[\]]/).filter(Boolean)) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
    value = Reflect.get(value, step);
  }
  if (typeof value !== "object" || value === null || Object.keys(value).join() !== "problem") return undefined;
  // It has this one member.
  const { problem } = value as { problem: unknown };
  return typeof problem === "string" ? problem.slice(0, maxNoteLength) : undefined;
}

const maxNoteLength = 500;

/** The field to look at: the external system's own name for it, if known. */
const place = ({ field, sourceField }: QuarantineProblem): string =>
  sourceField === undefined ? field || "the record" : `${sourceField} (becomes ${field})`;

type Advice = (problem: QuarantineProblem, where: string) => string;

const missing: Advice = (_, where) =>
  `Fill ${where} at the source, name the field that holds it in the mapping, or give the rule an \`else\`.`;
const number: Advice = (_, where) =>
  `${where} must be a number: correct it at the source, or give the number format in the mapping (\`number: { decimal: "," }\`).`;
const shape: Advice = (_, where) =>
  `${where} does not have the shape of the contract: correct its rule in the mapping.`;
const unreadable: Advice = () => "The record cannot be read at all: look at what the external system sent.";

/** What to do next, for the person who maintains the mapping. A record, so that no expectation is forgotten. */
const advice: Record<Expectation, Advice> = {
  present: missing,
  "filled-text": missing,
  "filled-list": (_, where) =>
    `${where} is empty: an order needs lines. Add them at the source, or filter such orders out.`,
  "whole-number": (_, where) =>
    `${where} must be a whole number and is never rounded silently: convert the unit, choose a rule (\`round: down\`, \`up\` or \`half-up\`), or correct it at the source.`,
  "at-least": ({ detail }, where) =>
    `${where} must be ${detail} or more: correct it at the source, or filter such records out.`,
  "confirmed-amount": (_, where) => `${where} must be 0 or more: correct it at the source.`,
  "at-most": ({ detail }, where) =>
    `${where} must be ${detail} or less, or strict clients cannot read the order: correct it at the source.`,
  length: ({ detail }, where) => `${where} is longer than ${detail} characters: shorten it at the source.`,
  elements: ({ detail }, where) => `${where} has more than ${detail} elements: split the record at the source.`,
  members: unreadable,
  "lone-surrogate": (_, where) =>
    `${where} holds half of a character, as texts do that were cut by bytes: correct it at the source.`,
  number,
  date: (_, where) =>
    `${where} is not a readable date: give its format in the mapping (\`date: "dd.MM.yyyy"\`), or correct it at the source.`,
  "one-of": ({ detail }, where) =>
    `${where} has an unknown value: translate it by a \`lookup\` in the mapping to one of ${detail}.`,
  unique: ({ detail }) =>
    `The number ${detail ?? ""} is given twice with other content: only the first counts. Make numbers unique at the source.`,
  image: (_, where) =>
    `${where} is no PNG, JPEG, WebP or GIF as plain Base64: send the image's bytes, or leave it out.`,
  "one-member-of": ({ detail }) => `Give one of ${detail}: without it the line is unknown.`,
  text: (_, where) => `${where} must be a text: add \`text: true\` to its rule in the mapping.`,
  flag: (_, where) => `${where} must be true or false: translate it by a \`lookup\` in the mapping.`,
  list: shape,
  object: shape,
  valid: shape,
  json: unreadable,
  "utf-8": unreadable,
  depth: unreadable,
  "duplicate-member": unreadable,
};

const maxNamed = 3;

/** The first few pieces of advice; the same mistake on ten lines is listed once. */
function suggestedFix(problems: readonly QuarantineProblem[]): string {
  const texts = new Set<string>();
  const listed = new Set<string>();
  for (const problem of problems) {
    const { sourceField, mappingNote } = problem;
    // Lines differ only by their number.
    const field = problem.field.replace(/\[\d+\]/g, "[…]");
    if (listed.has(`${problem.expected} ${field}`)) continue;
    listed.add(`${problem.expected} ${field}`);
    const general = { ...problem, field, ...(sourceField === undefined ? {} : { sourceField }) };
    // A message of the mapping is more specific, so it comes first.
    texts.add(
      mappingNote === undefined
        ? advice[problem.expected](general, place(general))
        : `${place(general)}: ${mappingNote}`,
    );
  }
  const shown = [...texts].slice(0, maxNamed);
  return texts.size > maxNamed ? `${shown.join(" ")} And ${texts.size - maxNamed} more.` : shown.join(" ");
}
