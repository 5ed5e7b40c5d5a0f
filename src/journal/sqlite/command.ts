import type { Attempt, Entry, NewEntry, OpenEntry, Verdict } from "../entry.ts";
import type { Appended, AppendedOnce, Lease, PersonAction, Settled } from "../journal.ts";
import type { Once } from "../once.ts";

/** When an entry's answer was given; or that this very mark is taken back. */
export type Mark = readonly [seq: number, at: number, isBack?: true];

/** What the writer can be told to do, as plain data. Each one is done whole or not at all. */
export interface Commands {
  append: { readonly entries: readonly NewEntry[]; readonly leaseToken: string };
  appendOnce: { readonly once: Once; readonly entries: readonly NewEntry[] };
  start: { readonly seq: number; readonly token: string };
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
  appendOnce: AppendedOnce;
  start: Entry | null;
  settle: Settled;
  markAnswered: null;
  act: readonly OpenEntry[] | null;
  prune: number;
}

export type CommandName = keyof Commands;
export type Command = { readonly [Name in CommandName]: { readonly name: Name } & Commands[Name] }[CommandName];
export type Result = { readonly done: Results[CommandName] } | { readonly error: string };
