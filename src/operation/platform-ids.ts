import { hash } from "node:crypto";
import { longNumberIn, mayHoldLongNumbers, parseJsonKeepingDigits } from "../kit/json/exact-number.ts";
import { parseInTurns } from "../kit/json/parse-in-turns.ts";

/**
 * Ids of the platform may have 64 bits, but a number keeps only 53. External systems get such an id as a text of its
 * digits. The store keeps only numbers, so it uses a substitute number: one that no platform issues, always
 * the same for the same id. Answers contain the id itself again.
 */
type Members = Record<string, unknown>;

/** Numbers from here down are substitutes for ids. */
const firstStandIn = -(2 ** 52);
const maxId = 2n ** 63n;

const isPlain = (id: unknown) =>
  typeof id !== "number" || !Number.isInteger(id) || (Number.isSafeInteger(id) && id > firstStandIn);

/** Every member of a step or of a cancelled line that contains an id. */
function* idPlaces(value: unknown): Generator<{ readonly owner: Members; readonly name: string }> {
  if (!isObject(value)) return;
  yield { owner: value, name: "requestId" };
  if (isObject(value["request"])) yield { owner: value["request"], name: "requestId" };
  const model = value["updateWorkOrderRequest"];
  if (!isObject(model)) return;
  yield { owner: model, name: "id" };
  const lines = model["itemRequests"];
  if (!Array.isArray(lines)) return;
  for (const line of lines) if (isObject(line)) yield { owner: line, name: "requestId" };
}

/** Whether a number cannot hold an id exactly. */
export function hasLongIds(value: unknown): boolean {
  for (const { owner, name } of idPlaces(value)) if (!isPlain(owner[name])) return true;
  return false;
}

/**
 * The value of a text, in documented spelling, with every long whole number as its digits; null if an id is not a valid one.
 * Not only the known ids: the model of an order comes back completely, with members that only the platform knows.
 */
export function withLongIds(text: string, canonical: (value: unknown) => unknown): unknown {
  const value = canonical(parseJsonKeepingDigits(text));
  for (const { owner, name } of idPlaces(value)) {
    const id = owner[name];
    const digits = digitsOf(id);
    if (digits !== undefined && !isId(digits)) return null;
  }
  return withWholeNumbers(value, (digits) => digits);
}

/** The same value in the form of the store. */
export const withStandIns = (text: string, canonical: (value: unknown) => unknown): unknown =>
  withWholeNumbers(canonical(parseJsonKeepingDigits(text)), standIn);

/** A copy with every long whole number as what `read` makes of it. Other long numbers become the nearest ones. */
function withWholeNumbers(value: unknown, read: (digits: string) => unknown): unknown {
  const digits = digitsOf(value);
  if (digits !== undefined) return isWhole(digits) ? read(digits) : Number(digits);
  return copied(value, (member) => withWholeNumbers(member, read));
}

/** Of a long number; undefined for every other value. Those that a number happens to hold are long, too. */
const digitsOf = (value: unknown): string | undefined =>
  longNumberIn(value) ?? (isPlain(value) ? undefined : String(value));

function copied(value: unknown, copy: (member: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, copy(one)])) : value;
}

const isWhole = (digits: string) => /^-?\d+$/.test(digits);

/**
 * The content of an entry with its original ids: `body` is the sender's text, `payload` is what the store received. While a
 * long one is parsed, other requests run.
 */
export async function asSent({
  payload,
  body,
}: {
  readonly payload: string | null;
  readonly body: string;
}): Promise<unknown> {
  if (payload === null) return inTurns(body, withDigits);
  if (!hasStandIn.test(payload)) return inTurns(payload, JSON.parse);
  const sent = new Map<number, string>();
  await inTurns(body, (text) => {
    for (const [number, digits] of sentIds(text)) sent.set(number, digits);
    return JSON.parse(text);
  });
  const original = (value: unknown): unknown =>
    typeof value === "number" ? (sent.get(value) ?? value) : copied(value, original);
  return inTurns(payload, (text) => original(JSON.parse(text)));
}

const withDigits = (text: string): unknown =>
  mayHoldLongNumbers(text) ? withWholeNumbers(parseJsonKeepingDigits(text), (digits) => digits) : JSON.parse(text);

/** Substitutes have 16 digits. */
const hasStandIn = /[:[,]-\d{16}/;

/** Longer texts are parsed in turns; most have two thousand characters. */
const longText = 64 * 1024;
/** More than a body may have. */
const maxDepth = 100;

const inTurns = (text: string, parse: (text: string) => unknown): unknown =>
  text.length <= longText ? parse(text) : parseInTurns(Buffer.from(text), { parse, maxDepth });

/** The JSON text of an answer with its original ids, as numbers. */
export function answerWithSentIds(text: string, sent: ReadonlyMap<number, string>): string {
  // Only a number that stands for one that was sent is replaced; no text has such a number by chance.
  return text.replace(/(?<=[:[,])-\d+(?=[,}\]])/g, (number) => sent.get(Number(number)) ?? number);
}

/** Substitute → digits, for all long whole numbers in a text. */
export function sentIds(text: string): Map<number, string> {
  const ids = new Map<number, string>();
  withWholeNumbers(parseJsonKeepingDigits(text), (digits) => ids.set(standIn(digits), digits));
  return ids;
}

function isId(digits: string): boolean {
  if (!/^-?\d{1,19}$/.test(digits)) return false;
  const id = BigInt(digits);
  return id < maxId && id >= -maxId;
}

const standIn = (id: string): number => firstStandIn - Number.parseInt(hash("sha256", id, "hex").slice(0, 13), 16);

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);
