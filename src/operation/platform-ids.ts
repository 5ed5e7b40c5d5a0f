import { hash } from "node:crypto";
import { bytesInTurns } from "../kit/json/bytes-in-turns.ts";
import { longNumberIn, mayHoldLongNumbers, parseJsonKeepingDigits } from "../kit/json/exact-number.ts";
import { parseJson } from "../kit/json/parse/parse-json.ts";
import { parseInTurns } from "../kit/json/parse-in-turns.ts";

/**
 * Ids of the platform may have 64 bits, but a JavaScript number keeps only 53. External systems get such an id as a
 * text of its digits. The store keeps only numbers, so it uses a substitute: a number that no platform issues, always
 * the same for the same id. Answers contain the original id again.
 */
type Members = Record<string, unknown>;

/** Numbers from here downwards are substitutes for ids. */
const firstSubstitute = -(2 ** 52);
const maxId = 2n ** 63n;

const isPlain = (id: unknown) =>
  typeof id !== "number" || !Number.isInteger(id) || (Number.isSafeInteger(id) && id > firstSubstitute);

interface IdPlace {
  readonly owner: Members;
  readonly name: string;
  /** The path of the owner in the whole body; a function, because it is needed only for problems. */
  readonly path?: () => string;
}

/** Yields every member of a step or of a cancelled line that contains an id. */
function* idPlaces(value: unknown): Generator<IdPlace> {
  if (!isObject(value)) return;
  yield { owner: value, name: "requestId" };
  if (isObject(value["request"])) yield { owner: value["request"], name: "requestId", path: () => "request." };
  const model = value["updateWorkOrderRequest"];
  if (!isObject(model)) return;
  yield { owner: model, name: "id", path: () => "updateWorkOrderRequest." };
  const lines = model["itemRequests"];
  if (!Array.isArray(lines)) return;
  for (const [index, line] of lines.entries()) {
    if (!isObject(line)) continue;
    yield { owner: line, name: "requestId", path: () => `updateWorkOrderRequest.itemRequests[${index}].` };
  }
}

/** Whether there is an id that a number cannot hold exactly. */
export function hasLongIds(value: unknown): boolean {
  for (const { owner, name } of idPlaces(value)) if (!isPlain(owner[name])) return true;
  return false;
}

/** A member in the place of an id that has no 64 bits, or is not whole. */
export interface BadId {
  readonly field: string;
  readonly digits: string;
}

/**
 * Parses a text, in documented spelling, with every long whole number as a text of its digits. This is not limited to
 * the known ids: the platform expects the whole model of an order back, with members that only it knows. If there are
 * bad ids, the input must not be used.
 */
export function withLongIds(
  text: string,
  canonical: (value: unknown) => unknown,
): { readonly input: unknown; readonly badIds: readonly BadId[] } {
  const value = canonical(parseJsonKeepingDigits(text));
  const badIds: BadId[] = [];
  for (const { owner, name, path } of idPlaces(value)) {
    const digits = digitsOf(owner[name]);
    if (digits !== undefined && !isId(digits)) badIds.push({ field: `${path?.() ?? ""}${name}`, digits });
  }
  return { input: badIds.length > 0 ? null : withWholeNumbers(value, (digits) => digits), badIds };
}

/** Parses a text into the form of the store, with substitutes for long numbers. */
export const withSubstituteIds = (text: string, canonical: (value: unknown) => unknown): unknown =>
  withWholeNumbers(canonical(parseJsonKeepingDigits(text)), substituteFor);

/** Copies a value and passes every long whole number to `read`. Other long numbers become the nearest ones. */
function withWholeNumbers(value: unknown, read: (digits: string) => unknown): unknown {
  const digits = digitsOf(value);
  if (digits !== undefined) return isWhole(digits) ? read(digits) : Number(digits);
  return copied(value, (member) => withWholeNumbers(member, read));
}

/**
 * The digits of a long number; undefined for every other value. A number counts as long even if JavaScript could hold
 * it exactly.
 */
const digitsOf = (value: unknown): string | undefined =>
  longNumberIn(value) ?? (isPlain(value) ? undefined : String(value));

function copied(value: unknown, copy: (member: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, copy(one)])) : value;
}

const isWhole = (digits: string) => /^-?\d+$/.test(digits);

/**
 * The content of an entry with its original ids. `body` is the sender's text, `payload` is what the store received.
 * Other requests run while a long text is parsed.
 */
export async function asSent({
  payload,
  body,
}: {
  readonly payload: string | null;
  readonly body: string;
}): Promise<unknown> {
  if (payload === null) return inTurns(body, withDigits);
  if (!substitutePattern.test(payload)) return inTurns(payload, parseJson);
  const sent = new Map<number, string>();
  await inTurns(body, (text) => {
    for (const [number, digits] of sentIds(text)) sent.set(number, digits);
    return JSON.parse(text);
  });
  const original = (value: unknown): unknown =>
    typeof value === "number" ? (sent.get(value) ?? value) : copied(value, original);
  return inTurns(payload, (text) => original(parseJson(text)));
}

const withDigits = (text: string): unknown =>
  mayHoldLongNumbers(text) ? withWholeNumbers(parseJsonKeepingDigits(text), (digits) => digits) : parseJson(text);

/** Substitutes have 16 digits. */
const substitutePattern = /[:[,]-\d{16}/;

/** Longer texts are parsed in turns. Most have two thousand characters. */
const longText = 64 * 1024;
/** Deeper than any accepted body. */
const maxDepth = 100;

const inTurns = (text: string, parse: (text: string) => unknown): unknown =>
  text.length <= longText ? parse(text) : parseLong(text, parse);

/** Encoded in turns as well: eight megabytes with letters beyond Latin-1 at once take longer than a request may be held up. */
const parseLong = async (text: string, parse: (text: string) => unknown): Promise<unknown> =>
  await parseInTurns(await bytesInTurns([text]), { parse, maxDepth });

/** The JSON text of an answer with its original ids, as numbers. */
export function answerWithSentIds(text: string, sent: ReadonlyMap<number, string>): string {
  // Only numbers that are substitutes of sent ids are replaced. No text contains such a number by chance.
  return text.replace(/(?<=[:[,])-\d+(?=[,}\]])/g, (number) => sent.get(Number(number)) ?? number);
}

/** Maps each substitute to its digits, for all long whole numbers in a text. */
export function sentIds(text: string): Map<number, string> {
  const ids = new Map<number, string>();
  withWholeNumbers(parseJsonKeepingDigits(text), (digits) => ids.set(substituteFor(digits), digits));
  return ids;
}

/** The digits of all long whole numbers in the text of an event. Other requests run while a long text is read. */
export async function sentDigits(text: string): Promise<ReadonlySet<string>> {
  const sent = new Set<string>();
  // Of a long text only pieces are tested: all of it at once would take as long as parsing some of them.
  if (text.length <= longText && !mayHoldLongNumbers(text)) return sent;
  await inTurns(text, (piece) => {
    if (mayHoldLongNumbers(piece)) for (const digits of sentIds(piece).values()) sent.add(digits);
    return JSON.parse(piece);
  });
  return sent;
}

/** Parses an answer of an external system and keeps every digit of its numbers. */
export const withAllDigits = async (bytes: Buffer): Promise<unknown> =>
  await parseInTurns(bytes, { parse: parseJsonKeepingDigits, maxDepth });

class NotSent extends Error {}

/**
 * Converts an update from an external system to the form of the store. Long whole numbers that were sent get their
 * substitutes, and so do ids that are given as texts of their digits. Returns the first long number that was not sent,
 * if there is one: it could not be answered exactly.
 */
export function withSentNumbers(
  update: unknown,
  sent: ReadonlySet<string>,
): { readonly value: unknown } | { readonly unknown: string } {
  const known = (digits: string): number => {
    if (!sent.has(digits)) throw new NotSent(digits);
    return substituteFor(digits);
  };
  const replaced = (value: unknown): unknown => {
    const digits = digitsOf(value);
    return digits === undefined ? copied(value, replaced) : known(digits);
  };
  try {
    const value = replaced(update);
    for (const { owner, name } of idPlaces({ updateWorkOrderRequest: value })) {
      const id = owner[name];
      if (typeof id === "string" && sent.has(id)) owner[name] = substituteFor(id);
    }
    return { value };
  } catch (error) {
    if (error instanceof NotSent) return { unknown: error.message };
    throw error;
  }
}

function isId(digits: string): boolean {
  if (!/^-?\d{1,19}$/.test(digits)) return false;
  const id = BigInt(digits);
  return id < maxId && id >= -maxId;
}

const substituteFor = (id: string): number =>
  firstSubstitute - Number.parseInt(hash("sha256", id, "hex").slice(0, 13), 16);

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);
