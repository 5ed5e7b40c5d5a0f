import type { JournalReader } from "../../../journal/journal.ts";
import type { EntryQuery } from "./entry-query.ts";
import { isoTime, ordersOf } from "./entry-view.ts";
import { scanEntries } from "./export-entries.ts";
import { type Failure, failureOf, type OwnFailure } from "./failure.ts";
import { failureKinds } from "./failure-kind.ts";

/** Undelivered entries with one cause. */
export interface FailureGroup extends Failure {
  readonly target: string;
  readonly count: number;
  /** How many of these need an operator, are retried automatically, or were not tried yet. */
  readonly dead: number;
  readonly retrying: number;
  readonly waiting: number;
  readonly oldestAt: string;
  readonly newestAt: string;
  readonly nextAttemptAt: string | null;
  /** The oldest entry, which should be looked at first. */
  readonly firstSeq: number;
  readonly topics: readonly string[];
  /** Some of the orders. */
  readonly orders: readonly string[];
}

export interface FailureGroups {
  readonly groups: readonly FailureGroup[];
  readonly count: number;
  /** Whether there are more entries than were counted. */
  readonly isCut: boolean;
}

const mostCounted = 10_000;
const mostNamed = 5;
const unfinished = ["dead", "retry", "inflight", "accepted"] as const;

interface Draft extends Omit<FailureGroup, "oldestAt" | "newestAt" | "nextAttemptAt" | "topics" | "orders"> {
  /** The whole error while all entries have the same; otherwise null. */
  ownText: string | null;
  count: number;
  dead: number;
  retrying: number;
  waiting: number;
  firstSeq: number;
  oldest: number;
  newest: number;
  next: number | null;
  readonly topicSet: Set<string>;
  readonly orderSet: Set<string>;
}

/** Groups all undelivered entries by cause. Groups that need an operator come first, then the largest. */
export async function failureGroups(
  read: Pick<JournalReader, "list" | "latestAttempt" | "heldBy">,
  query: EntryQuery,
): Promise<FailureGroups> {
  const drafts = new Map<string, Draft>();
  let count = 0;
  const states = unfinished.filter((state) => query.states === undefined || query.states.includes(state));
  if (states.length === 0) return { groups: [], count: 0, isCut: false };
  for await (const { matches, nextBefore } of scanEntries(read, { ...query, states }, undefined, { isBrief: true })) {
    for (const entry of matches) {
      if (entry.target === null) continue;
      count++;
      const failure = failureOf(read, entry);
      const draft = drafts.get(failure.cause) ?? newDraft(failure, entry.target);
      drafts.set(failure.cause, draft);
      draft.count++;
      if (draft.ownText !== failure.ownText) draft.ownText = null;
      if (entry.state === "dead") draft.dead++;
      else if (entry.state === "retry") draft.retrying++;
      else draft.waiting++;
      draft.firstSeq = entry.seq;
      draft.oldest = Math.min(draft.oldest, entry.receivedAt);
      draft.newest = Math.max(draft.newest, entry.receivedAt);
      if (entry.state === "retry" && entry.nextAt !== null)
        draft.next = Math.min(draft.next ?? entry.nextAt, entry.nextAt);
      if (draft.topicSet.size < mostNamed) draft.topicSet.add(entry.topic);
      if (draft.orderSet.size < mostNamed) for (const order of ordersOf(entry)) draft.orderSet.add(order);
    }
    if (count >= mostCounted && nextBefore !== null) return { groups: sorted(drafts), count, isCut: true };
  }
  return { groups: sorted(drafts), count, isCut: false };
}

const newDraft = (failure: OwnFailure, target: string): Draft => ({
  ...{ ...failure, target, count: 0, dead: 0, retrying: 0, waiting: 0, firstSeq: 0 },
  ...{ oldest: Number.POSITIVE_INFINITY, newest: 0, next: null, topicSet: new Set(), orderSet: new Set() },
});

const rank = ({ kind }: Failure): number => failureKinds.indexOf(kind);

const sorted = (drafts: ReadonlyMap<string, Draft>): FailureGroup[] =>
  [...drafts.values()]
    .sort((a, b) => Number(b.dead > 0) - Number(a.dead > 0) || rank(a) - rank(b) || b.count - a.count)
    .map(({ oldest, newest, next, topicSet, orderSet, ownText, text, ...rest }) => ({
      ...rest,
      text: ownText ?? text,
      oldestAt: isoTime(oldest),
      newestAt: isoTime(newest),
      nextAttemptAt: next === null ? null : isoTime(next),
      topics: [...topicSet],
      orders: [...orderSet].slice(0, mostNamed),
    }));
