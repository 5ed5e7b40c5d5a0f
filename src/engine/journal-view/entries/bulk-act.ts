import type { JournalReader } from "../../../journal/journal.ts";
import { type ActionName, type ActNeeds, actionStates, actOnEntry, type Decision } from "./act-on-entry.ts";
import type { EntryQuery } from "./entry-query.ts";
import type { EntryView, Privacy } from "./entry-view.ts";
import { scanEntries } from "./export-entries.ts";

export type BulkDecision = Exclude<Decision, { readonly action: "edit" }>;

export interface BulkRequest {
  readonly decision: BulkDecision;
  readonly query: EntryQuery;
  readonly operator: string;
  /** Reports what would be done, without doing it. */
  readonly isDryRun: boolean;
  readonly limit: number;
  /** Only entries after this number. More than the limit are done in parts, and none of them twice. */
  readonly after: number;
}

export interface BulkResult {
  readonly dryRun: boolean;
  /** How many entries match and allow the action. */
  readonly count: number;
  /** The oldest of these entries. */
  readonly first: readonly EntryView[];
  /** Whether there are more entries than are counted. Then nothing is done until the filter is narrower. */
  readonly isCut: boolean;
  /** One per entry, in the order of execution; empty for a dry run. */
  readonly results: readonly { readonly seq: number; readonly done: boolean; readonly detail: string | null }[];
}

export const maxBulkEntries = 1000;
const maxCounted = 100_000;
const shownEntries = 20;
/** How many actions share a commit; more would only wait for each other. */
const atOnce = 50;

export interface BulkNeeds extends ActNeeds {
  /** Reads the journal, perhaps in another thread. */
  readonly views: {
    readonly candidates: (query: BulkQuery) => Promise<Candidates>;
    readonly lines: (seqs: readonly number[], privacy: Privacy) => Promise<readonly EntryView[]>;
  };
}

/** Applies the same action to many entries, oldest first, so that each lane keeps its order. */
export async function bulkAct(needs: BulkNeeds, request: BulkRequest, privacy: Privacy): Promise<BulkResult> {
  const { decision, query, operator, isDryRun, limit, after } = request;
  const { seqs, isCut } = await needs.views.candidates({ action: decision.action, query, after });
  const results: BulkResult["results"][number][] = [];
  // Nothing is done if the oldest entries were not counted: newer entries of a lane would go before older ones.
  const chosen = isDryRun || isCut ? [] : seqs.slice(0, limit);
  for (let from = 0; from < chosen.length; from += atOnce) {
    const batch = chosen.slice(from, from + atOnce);
    results.push(...(await Promise.all(batch.map((seq) => one(needs, seq, decision, operator)))));
  }
  const first = await needs.views.lines(seqs.slice(0, shownEntries), privacy);
  return { dryRun: isDryRun, count: seqs.length, first, isCut, results };
}

async function one(needs: ActNeeds, seq: number, decision: BulkDecision, operator: string) {
  try {
    const entry = needs.journal.read.brief(seq);
    if (entry === null) return { seq, done: false, detail: `Entry ${seq} is gone.` };
    const acted = await actOnEntry(needs, entry, decision, operator);
    if ("done" in acted) return { seq, done: true, detail: null };
    return { seq, done: false, detail: "notPossible" in acted ? acted.notPossible : "The body is not valid." };
  } catch (error) {
    // One failed commit must not hide the results of the others.
    return { seq, done: false, detail: error instanceof Error ? error.message : String(error) };
  }
}

/** The entries that an action on many entries concerns. */
export interface BulkQuery extends Pick<BulkRequest, "query" | "after"> {
  readonly action: ActionName;
}

export interface Candidates {
  /** Oldest first. Only the numbers, because a hundred thousand bodies would fill the memory. */
  readonly seqs: readonly number[];
  readonly isCut: boolean;
}

/** Returns the entries that match and allow the action. */
export async function candidates(
  read: Pick<JournalReader, "list" | "latestAttempt" | "heldBy">,
  { action, query, after }: BulkQuery,
): Promise<Candidates> {
  const allowed = actionStates[action];
  const states = query.states === undefined ? allowed : allowed.filter((state) => query.states?.includes(state));
  const seqs: number[] = [];
  if (states.length === 0) return { seqs, isCut: false };
  for await (const { matches, nextBefore } of scanEntries(read, { ...query, states }, undefined, { isBrief: true })) {
    for (const { seq, target } of matches) if (target !== null && seq > after) seqs.push(seq);
    if (seqs.length >= maxCounted) return { seqs: seqs.reverse(), isCut: true };
    if (nextBefore !== null && nextBefore <= after) break;
  }
  return { seqs: seqs.reverse(), isCut: false };
}
