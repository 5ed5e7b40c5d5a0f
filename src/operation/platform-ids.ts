import { hash } from "node:crypto";

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

/** The value of a text, in documented spelling, with every long id as its digits; null if one is not a valid id. */
export function withLongIds(text: string, canonical: (value: unknown) => unknown): unknown {
  const value = canonical(parseExactly(text, () => {}));
  for (const { owner, name } of idPlaces(value)) {
    const id = owner[name];
    if (typeof id === "string" && !isId(id)) return null;
  }
  return value;
}

/** The same value in the form of the store. Changes its argument. */
export function withStandIns(value: unknown): unknown {
  for (const { owner, name } of idPlaces(value)) {
    const id = owner[name];
    if (typeof id === "string") owner[name] = standIn(id);
  }
  return value;
}

/** The content of an entry with its original ids: `body` is the sender's text, `payload` is what the store received. */
export function asSent({ payload, body }: { readonly payload: string | null; readonly body: string }): unknown {
  const value: unknown = JSON.parse(payload ?? body);
  if (!hasLongIds(value)) return value;
  if (payload === null) return parseExactly(body, () => {});
  const sent = sentIds(body);
  // A value that is not a number is not in the map, and stays as it is.
  for (const { owner, name } of idPlaces(value)) owner[name] = sent.get(owner[name] as number) ?? owner[name];
  return value;
}

/** The JSON text of an answer with its original ids, as numbers. */
export function answerWithSentIds(text: string, sentText: string): string {
  const sent = sentIds(sentText);
  return text.replace(/"(requestId|id)":(-\d+)/g, (whole, name: string, number: string) => {
    const id = sent.get(Number(number));
    return id === undefined ? whole : `"${name}":${id}`;
  });
}

/** Substitute → id, for all long ids in a text. */
function sentIds(text: string): Map<number, string> {
  const ids = new Map<number, string>();
  parseExactly(text, (id) => ids.set(standIn(id), id));
  return ids;
}

/** Long ids become their digits. */
function parseExactly(text: string, onId: (id: string) => void): unknown {
  // The third argument has the source text of the value; the compiler's library does not know it yet.
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
