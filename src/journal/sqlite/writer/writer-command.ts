import { wellFormedJson } from "../../../kit/json/scan-json.ts";
import type { Attempt, Entry, NewEntry, OpenEntry, Verdict } from "../../entry.ts";
import type { IdempotentCall } from "../../idempotency-record.ts";
import type { AppliedOutcome } from "../../inline-projection.ts";
import type { Appended, IdempotentAppend, Lease, PersonAction, ProgressNote, Settled } from "../../journal.ts";
import { type PackedEntry, packEntry, unpackEntry } from "../../packed-entry.ts";

/** Sets when an entry's answer was given, or removes exactly that mark. */
export type Mark = readonly [seq: number, at: number, isBack?: true];

/** The writer's commands, as plain data. Each one is executed completely or not at all. */
export interface Commands {
  append: { readonly entries: readonly NewEntry[]; readonly leaseToken: string };
  appendIdempotent: { readonly idempotency: IdempotentCall; readonly entries: readonly NewEntry[] };
  start: { readonly seq: number; readonly token: string; readonly at?: number };
  note: { readonly lease: Lease; readonly marks: readonly ProgressNote[] };
  settle: {
    readonly lease: Lease;
    readonly verdict: Verdict;
    readonly attempt: Attempt | null;
    readonly answer: string | null;
  };
  markAnswered: { readonly marks: readonly Mark[] };
  act: { readonly seq: number; readonly action: PersonAction; readonly operator: string; readonly at: number };
  prune: { readonly bodiesBefore: number; readonly entriesBefore: number; readonly batch: number };
}

export interface Results {
  append: readonly Appended[];
  appendIdempotent: IdempotentAppend;
  start: Entry | null;
  note: boolean;
  settle: Settled;
  markAnswered: null;
  act: readonly OpenEntry[] | null;
  prune: number;
}

export type CommandName = keyof Commands;
export type Command = { readonly [Name in CommandName]: { readonly name: Name } & Commands[Name] }[CommandName];
export type Result = { readonly done: Results[CommandName] } | { readonly error: string };

/**
 * Events cross threads as plain arrays. Messages are serialised with their member names, which would cost both threads
 * four times as much per event. Rare messages cross unchanged.
 */
export type PackedCommand = Exclude<Command, { name: "append" }> | PackedAppend;
type PackedAppend = readonly [leaseToken: string, entries: readonly PackedEntry[]];
export type PackedResult = Result | readonly PackedAppended[];
type PackedAppended = Appended | PlainAppended;
/**
 * A result without further effects, stored under the entry's own id. What the outbox needs is known from the entry
 * itself.
 */
type PlainAppended = readonly [
  seq: number,
  state: "delivered" | "accepted",
  outcome: string,
  touched: boolean,
  dataText?: string,
];

/** Data with more characters crosses as text, and is never parsed in the main thread. */
const longData = 64 * 1024;

export function packCommand(command: Command): PackedCommand {
  return command.name === "append" ? [command.leaseToken, dense(command.entries, packEntry)] : command;
}

export function unpackCommand(packed: PackedCommand): Command {
  if (!isAppend(packed)) return packed;
  const [leaseToken, entries] = packed;
  return { name: "append", entries: entries.map(unpackEntry), leaseToken };
}

export function packResult(command: Command, result: Result): PackedResult {
  if (!("done" in result)) return result;
  // As below.
  if (command.name === "settle") return { done: packSettled(result.done as Settled) };
  if (command.name !== "append") return result;
  // The result belongs to this command.
  const done = result.done as readonly Appended[];
  return dense(done, (appended, index) => packAppended(command.entries[index], appended));
}

export function unpackResult(command: Command, packed: PackedResult): Result {
  // Only results of appends are packed.
  if (command.name !== "append" || !isAppended(packed)) return packed as Result;
  return { done: packed.map((appended, index) => unpackAppended(command.entries[index], appended)) };
}

/**
 * Like `map`, but the array has no holes. V8 treats the result of a compiled `map` as an array with holes, which
 * crosses threads slowly.
 */
export function dense<From, To>(list: readonly From[], make: (one: From, index: number) => To): To[] {
  const made: To[] = [];
  for (const [index, one] of list.entries()) made.push(make(one, index));
  return made;
}

const isAppend = (packed: PackedCommand): packed is PackedAppend => Array.isArray(packed);
const isAppended = (packed: PackedResult): packed is readonly PackedAppended[] => Array.isArray(packed);
const isPlain = (packed: PackedAppended): packed is PlainAppended => Array.isArray(packed);

/** The same outcome, with long data as text. */
function withDataText<Outcome extends AppliedOutcome | null>(outcome: Outcome): Outcome {
  if (outcome === null || !("data" in outcome)) return outcome;
  const { data, ...rest } = outcome;
  const dataText = wellFormedJson(data);
  // It has all members of an outcome but the data, which the journal does not know.
  return dataText.length <= longData ? outcome : ({ ...rest, dataText } as unknown as Outcome);
}

function packAppended(entry: NewEntry | undefined, appended: Appended): PackedAppended {
  if ("repeatOf" in appended) return withOutcome(appended, withDataText(appended.outcome));
  const { seq, state, outcome, touched, suspectOf, emitted, superseded } = appended;
  const isUsual = appended.id === entry?.id && suspectOf === null && emitted.length === 0 && superseded.length === 0;
  if (!isUsual || (state !== "delivered" && state !== "accepted")) return withOutcome(appended, withDataText(outcome));
  const text = JSON.stringify(outcome);
  if (text.length <= longData) return [seq, state, text, touched];
  const { dataText, ...rest } = withDataText(outcome);
  const head = JSON.stringify(rest);
  return dataText === undefined ? [seq, state, head, touched] : [seq, state, head, touched, dataText];
}

/** The usual result is not copied. */
const withOutcome = <Result extends { readonly outcome: AppliedOutcome | null }>(
  result: Result,
  outcome: Result["outcome"],
): Result => (outcome === result.outcome ? result : { ...result, outcome });

function packSettled(settled: Settled): Settled {
  const { applied } = settled;
  if (applied === null) return settled;
  const packed = withOutcome(applied, withDataText(applied.outcome));
  return packed === applied ? settled : { ...settled, applied: packed };
}

function unpackAppended(entry: NewEntry | undefined, packed: PackedAppended): Appended {
  if (!isPlain(packed)) return packed;
  if (entry === undefined) throw new Error("the writer answered for an entry it was not given");
  const [seq, state, text, touched, dataText] = packed;
  const parsed: AppliedOutcome = JSON.parse(text);
  const outcome = dataText === undefined ? parsed : { ...parsed, dataText };
  const open = state === "accepted" ? openEntry(seq, entry) : null;
  const { id } = entry;
  return { id, seq, state, outcome, touched, suspectOf: null, emitted: [], open, superseded: [] };
}

/** A new entry as the outbox keeps it. */
export function openEntry(seq: number, { id, topic, target = "", lanes, receivedAt }: NewEntry): OpenEntry {
  return { seq, id, topic, target, lanes, attempts: 0, receivedAt, nextAt: 0 };
}
