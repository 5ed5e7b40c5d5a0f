import type { Attempt, Entry, NewEntry, OpenEntry, Verdict } from "../../entry.ts";
import type { IdempotentCall } from "../../idempotency-record.ts";
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
type PlainAppended = readonly [seq: number, state: "delivered" | "accepted", outcome: string, touched: boolean];

export function packCommand(command: Command): PackedCommand {
  return command.name === "append" ? [command.leaseToken, dense(command.entries, packEntry)] : command;
}

export function unpackCommand(packed: PackedCommand): Command {
  if (!isAppend(packed)) return packed;
  const [leaseToken, entries] = packed;
  return { name: "append", entries: entries.map(unpackEntry), leaseToken };
}

export function packResult(command: Command, result: Result): PackedResult {
  if (command.name !== "append" || !("done" in result)) return result;
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

function packAppended(entry: NewEntry | undefined, appended: Appended): PackedAppended {
  if ("repeatOf" in appended || appended.id !== entry?.id || appended.suspectOf !== null) return appended;
  const { seq, state, outcome, touched, emitted, superseded } = appended;
  const isStored = state === "delivered" || state === "accepted";
  if (!isStored || emitted.length > 0 || superseded.length > 0) return appended;
  return [seq, state, JSON.stringify(outcome), touched];
}

function unpackAppended(entry: NewEntry | undefined, packed: PackedAppended): Appended {
  if (!isPlain(packed)) return packed;
  if (entry === undefined) throw new Error("the writer answered for an entry it was not given");
  const [seq, state, outcome, touched] = packed;
  const open = state === "accepted" ? openEntry(seq, entry) : null;
  const { id } = entry;
  return { id, seq, state, outcome: JSON.parse(outcome), touched, suspectOf: null, emitted: [], open, superseded: [] };
}

/** A new entry as the outbox keeps it. */
export function openEntry(seq: number, { id, topic, target = "", lanes, receivedAt }: NewEntry): OpenEntry {
  return { seq, id, topic, target, lanes, attempts: 0, receivedAt, nextAt: 0 };
}
