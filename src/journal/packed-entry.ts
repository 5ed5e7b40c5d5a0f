import type { NewEntry, RepeatRule } from "./entry.ts";

/** An entry as a plain array: with member names it would be serialised and read four times as slowly. */
export type PackedEntry = readonly [
  id: string,
  direction: NewEntry["direction"],
  topic: string,
  lanes: readonly string[],
  body: string,
  payload: string | null,
  acceptLanguage: string | null,
  receivedAt: number,
  handling: NewEntry["handling"] | null,
  target: string | null,
  repeat: PackedRepeat | null,
  /** Optional members that most events do not have, by name. */
  rare: RareOfEntry | null,
  /** Last, because entries that were packed before it existed are stored. */
  trace?: string | null,
];
type PackedRepeat = readonly [key: string, when: RepeatRule["when"], windowMs: number, rare: RareOfRule | null];

type ListedOfEntry =
  | ("id" | "direction" | "topic" | "lanes" | "body" | "payload" | "acceptLanguage" | "receivedAt")
  | ("handling" | "target" | "repeat" | "trace");
type RareOfEntry = Omit<NewEntry, ListedOfEntry>;
type RareOfRule = Omit<RepeatRule, "key" | "when" | "windowMs">;
// If a member is added to an entry or a rule and is not listed here, this does not compile.
const rareOfEntry = namesOf<RareOfEntry>({ supersedes: true, stateAt: true, sender: true });
const rareOfRule = namesOf<RareOfRule>({ undisturbedIn: true, unnamed: true });

export function packEntry(entry: NewEntry): PackedEntry {
  const { id, direction, topic, lanes, body, payload, acceptLanguage, receivedAt, handling, target, repeat, trace } =
    entry;
  const rule = repeat === undefined ? null : packRepeat(repeat);
  const rare = rareIn(entry, rareOfEntry);
  // biome-ignore format: in the order of the list
  return [id, direction, topic, lanes, body, payload, acceptLanguage, receivedAt, handling ?? null, target ?? null, rule, rare, trace ?? null];
}

export function unpackEntry(packed: PackedEntry): NewEntry {
  const [id, direction, topic, lanes, body, payload, acceptLanguage, receivedAt, handling, target, rule, rare, trace] =
    packed;
  const entry: Growing<NewEntry> = { id, direction, topic, lanes, body, payload, acceptLanguage, receivedAt };
  if (handling !== null && handling !== undefined) entry.handling = handling;
  if (target !== null) entry.target = target;
  if (rule !== null) entry.repeat = unpackRepeat(rule);
  if (trace !== null && trace !== undefined) entry.trace = trace;
  // Entries that were packed by earlier versions have their trace here.
  return rare === null ? entry : Object.assign(entry, rare);
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Packs entries as bytes, which cross threads without being copied and are stored as they are. */
export const packEntries = (entries: readonly NewEntry[]): Uint8Array<ArrayBuffer> =>
  encoder.encode(JSON.stringify(entries.map(packEntry)));

/** Only for bytes that were packed by the function above. */
export const unpackEntries = (bytes: Uint8Array): NewEntry[] =>
  (JSON.parse(decoder.decode(bytes)) as PackedEntry[]).map(unpackEntry);

function packRepeat(rule: RepeatRule): PackedRepeat {
  return [rule.key, rule.when, rule.windowMs, rareIn(rule, rareOfRule)];
}

function unpackRepeat([key, when, windowMs, rare]: PackedRepeat): RepeatRule {
  return rare === null ? { key, when, windowMs } : { key, when, windowMs, ...rare };
}

function namesOf<Members>(names: { readonly [Name in keyof Required<Members>]: true }): readonly (keyof Members)[] {
  // The argument is a literal in this file, so it has exactly the names of its type.
  return Object.keys(names) as (keyof Members)[];
}

/** Null if no optional member is set (the common case). */
function rareIn<Whole extends object, Name extends keyof Whole>(
  whole: Whole,
  names: readonly Name[],
): Pick<Whole, Name> | null {
  let rare: Partial<Pick<Whole, Name>> | null = null;
  for (const name of names) {
    if (whole[name] === undefined) continue;
    rare ??= {};
    rare[name] = whole[name];
  }
  // The names are those of optional members, so any of them may be absent.
  return rare as Pick<Whole, Name> | null;
}

type Growing<Members> = { -readonly [Name in keyof Members]: Members[Name] };
