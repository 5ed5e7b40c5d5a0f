import { type ActNeeds, actionStates, actOnEntry, type Decision } from "./act-on-entry.ts";
import type { EntryQuery } from "./entry-query.ts";
import { type EntryView, entryViewInTurns, listed, type Privacy } from "./entry-view.ts";
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

/** Applies the same action to many entries, oldest first, so that each lane keeps its order. */
export async function bulkAct(needs: ActNeeds, request: BulkRequest, privacy: Privacy): Promise<BulkResult> {
  const { decision, operator, isDryRun, limit } = request;
  const { read } = needs.journal;
  const { seqs, isCut } = await candidates(needs, request);
  const results: BulkResult["results"][number][] = [];
  // Nothing is done if the oldest entries were not counted: newer entries of a lane would go before older ones.
  const chosen = isDryRun || isCut ? [] : seqs.slice(0, limit);
  for (let from = 0; from < chosen.length; from += atOnce) {
    const batch = chosen.slice(from, from + atOnce);
    results.push(...(await Promise.all(batch.map((seq) => one(needs, seq, decision, operator)))));
  }
  const first: EntryView[] = [];
  for (const seq of seqs.slice(0, shownEntries)) {
    const entry = read.entry(seq);
    if (entry !== null) first.push(listed(await entryViewInTurns(entry, privacy), entry));
  }
  return {
    dryRun: isDryRun,
    count: seqs.length,
    first,
    isCut,
    results,
  };
}

async function one(needs: ActNeeds, seq: number, decision: BulkDecision, operator: string) {
  try {
    const entry = needs.journal.read.entry(seq);
    if (entry === null) return { seq, done: false, detail: `Entry ${seq} is gone.` };
    const acted = await actOnEntry(needs, entry, decision, operator);
    if ("done" in acted) return { seq, done: true, detail: null };
    return { seq, done: false, detail: "notPossible" in acted ? acted.notPossible : "The body is not valid." };
  } catch (error) {
    // One failed commit must not hide the results of the others.
    return { seq, done: false, detail: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Returns the entries that match and allow the action, oldest first. It returns only their numbers, because a hundred
 * thousand bodies would fill the memory.
 */
async function candidates(
  { journal }: ActNeeds,
  { decision, query, after }: BulkRequest,
): Promise<{ seqs: number[]; isCut: boolean }> {
  const allowed = actionStates[decision.action];
  const states = query.states === undefined ? allowed : allowed.filter((state) => query.states?.includes(state));
  const seqs: number[] = [];
  if (states.length === 0) return { seqs, isCut: false };
  for await (const { matches, nextBefore } of scanEntries(journal.read, { ...query, states }, undefined, {
    isBrief: true,
  })) {
    for (const { seq, target } of matches) if (target !== null && seq > after) seqs.push(seq);
    if (seqs.length >= maxCounted) return { seqs: seqs.reverse(), isCut: true };
    if (nextBefore !== null && nextBefore <= after) break;
  }
  return { seqs: seqs.reverse(), isCut: false };
}
