import { setImmediate as nextTurn } from "node:timers/promises";
import { parseExactJson } from "../../kit/json/exact-number.ts";
import { type Place, placeWritten } from "../../kit/json/parse/members-twice.ts";
import { parseInTurns } from "../../kit/json/parse-in-turns.ts";
import { jsonBytes, maxDepth, type ReadAnswer, twiceFlaw } from "./read-answer.ts";
import type { Answer } from "./read-body.ts";
import { memberAt } from "./template.ts";

/** A record with a member that is given twice. Nobody knows which of the two is meant, so it must not be used. */
export class AmbiguousRecord {
  /** The record without such members: what is left can be read in one way only. */
  readonly value: unknown;
  /** The first of these members. */
  readonly member: Place;
  constructor(value: unknown, member: Place) {
    this.value = value;
    this.member = member;
  }
  get reason(): string {
    return `${placeWritten(this.member)} is given twice, so it can be read in two ways; let the source send it once`;
  }
}

/** The record itself, as far as it can be read. */
export const contentOf = (record: unknown): unknown => (record instanceof AmbiguousRecord ? record.value : record);

interface Reading {
  /** The path of the records. */
  readonly records: string | undefined;
  /** The paths of what else is read: where the next page is. */
  readonly others: readonly string[];
  /**
   * Whether an answer with this content has records at all, and is no error. Asked while ambiguous records still have
   * all their members: afterwards, the one that says so may be gone.
   */
  readonly hasRecords?: (read: ReadAnswer) => Promise<boolean>;
}

/**
 * Reads an answer that was refused because of members given twice. If each of them lies inside a record, the JSON is
 * that of the answer, with an `AmbiguousRecord` in the place of each such record. Any other answer stays refused.
 */
export async function withAmbiguousRecords(answer: Answer, refused: ReadAnswer, reading: Reading): Promise<ReadAnswer> {
  const { twice } = refused;
  if (twice === undefined) return refused;
  await nextTurn();
  const bytes = jsonBytes(answer);
  if (bytes === null) return refused;
  await nextTurn();
  // The last of two members counts here. They are removed below, or the answer stays refused. A long answer was not
  // read to its end before, and may not be JSON.
  const parsed = await parseInTurns(bytes, { parse: parseExactJson, maxDepth }).then(
    (json) => ({ json }),
    () => null,
  );
  if (parsed === null) return refused;
  // As a member, the root can be replaced like any other record.
  const whole = { root: parsed.json };
  const records = reading.records === undefined ? whole.root : memberAt(whole.root, reading.records);
  if (typeof records !== "object" || records === null) return refused;
  const readOthers = () => reading.others.map((path) => memberAt(whole.root, path));

  const found: Found[] = [];
  for (const place of twice) {
    const one = foundAt(whole, place, records);
    if (one === null) return { ...refused, flaw: twiceFlaw(place) };
    found.push(one);
  }
  const given = { ...withoutTwice(refused), flaw: null };
  if (reading.hasRecords !== undefined && !(await reading.hasRecords({ ...given, json: whole.root }))) return refused;
  const before = readOthers();
  for (const { record, within } of found) removeAt(record, within);
  for (const { holder, key, record, within } of found) {
    if (memberOf(holder, key) === record) Reflect.set(holder, key, new AmbiguousRecord(record, within));
  }
  const isSame = readOthers().every((value, index) => value === before[index]);
  return isSame ? { ...given, json: whole.root } : refused;
}

const withoutTwice = ({ twice: _twice, ...read }: ReadAnswer): ReadAnswer => read;

/** The record that a place lies in. */
interface Found {
  readonly holder: object;
  /** Where the holder has the record. */
  readonly key: string | number;
  readonly record: unknown;
  /** The place within the record. */
  readonly within: Place;
}

/** Finds the record that a place lies in: an element of the list, or the only record. Null if it lies outside. */
function foundAt(whole: object, place: Place, records: unknown): Found | null {
  const steps = ["root", ...place];
  let holder: unknown = whole;
  for (const [depth, key] of steps.entries()) {
    if (typeof holder !== "object" || holder === null) return null;
    const record = memberOf(holder, key);
    // The name itself is no part of its record: a list of records that is given twice lies outside of them.
    const isInside = depth < steps.length - 1 && (Array.isArray(records) ? holder === records : record === records);
    if (isInside) return { holder, key, record, within: steps.slice(depth + 1) };
    holder = record;
  }
  return null;
}

function removeAt(record: unknown, place: Place): void {
  const last = place.at(-1);
  const holder = place.slice(0, -1).reduce<unknown>(memberOf, record);
  if (typeof holder === "object" && holder !== null && last !== undefined) Reflect.deleteProperty(holder, last);
}

/** A member of a parsed value; `__proto__` is a member like any other. */
function memberOf(value: unknown, step: string | number): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, step)
    ? Reflect.get(value, step)
    : undefined;
}
