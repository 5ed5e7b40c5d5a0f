import { hash } from "node:crypto";

/**
 * Ids of the platform may have 64 bits, and a number keeps 53 of them. Towards external systems such an id is its digits
 * as a text. The store keeps numbers only, so there it has a number that stands for it: one that no platform gives out,
 * always the same for the same id. In an answer the id itself is written again.
 */
type Members = Record<string, unknown>;

/** Numbers from here down stand for ids. */
const firstStandIn = -(2 ** 52);
const maxId = 2n ** 63n;

const isPlain = (id: unknown) =>
  typeof id !== "number" || !Number.isInteger(id) || (Number.isSafeInteger(id) && id > firstStandIn);

/** Every place of a step or of a cancelled line that holds an id. */
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

/** Whether an id is one that no number holds. */
export function hasLongIds(value: unknown): boolean {
  for (const { owner, name } of idPlaces(value)) if (!isPlain(owner[name])) return true;
  return false;
}

/** The value that a text says, in documented spelling, with every long id as its digits; null where one is no id at all. */
export function withLongIds(text: string, canonical: (value: unknown) => unknown): unknown {
  const value = canonical(parseExactly(text, () => {}));
  for (const { owner, name } of idPlaces(value)) {
    const id = owner[name];
    if (typeof id === "string" && !isId(id)) return null;
  }
  return value;
}

/** The same value in the form of the store. Changes what it is given. */
export function withStandIns(value: unknown): unknown {
  for (const { owner, name } of idPlaces(value)) {
    const id = owner[name];
    if (typeof id === "string") owner[name] = standIn(id);
  }
  return value;
}

/** What an entry says, its ids as they were sent: `body` is the text of the sender, `payload` what the store was given. */
export function asSent({ payload, body }: { readonly payload: string | null; readonly body: string }): unknown {
  const value: unknown = JSON.parse(payload ?? body);
  if (!hasLongIds(value)) return value;
  if (payload === null) return parseExactly(body, () => {});
  const sent = sentIds(body);
  // What is no number is not in the map, and stays as it is.
  for (const { owner, name } of idPlaces(value)) owner[name] = sent.get(owner[name] as number) ?? owner[name];
  return value;
}

/** The JSON text of an answer with its ids again as they were sent, as numbers. */
export function answerWithSentIds(text: string, sentText: string): string {
  const sent = sentIds(sentText);
  return text.replace(/"(requestId|id)":(-\d+)/g, (whole, name: string, number: string) => {
    const id = sent.get(Number(number));
    return id === undefined ? whole : `"${name}":${id}`;
  });
}

/** Stand-in to id, of all long ids in a text. */
function sentIds(text: string): Map<number, string> {
  const ids = new Map<number, string>();
  parseExactly(text, (id) => ids.set(standIn(id), id));
  return ids;
}

/** Long ids become their digits. */
function parseExactly(text: string, onId: (id: string) => void): unknown {
  // The third argument holds the text of the value itself; the compiler's library does not know it yet.
  const parse = JSON.parse as (
    text: string,
    revive: (name: string, value: unknown, context: { readonly source?: string }) => unknown,
  ) => unknown;
  return parse(text, (name, value, { source = "" }) => {
    if (isPlain(value) || !/^(requestid|id)$/i.test(name)) return value;
    onId(source);
    return source;
  });
}

function isId(digits: string): boolean {
  if (!/^-?\d{1,19}$/.test(digits)) return false;
  const id = BigInt(digits);
  return id < maxId && id >= -maxId;
}

const standIn = (id: string): number => firstStandIn - Number.parseInt(hash("sha256", id, "hex").slice(0, 13), 16);

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);
