import type { NewEntry, OpenEntry } from "../../journal/entry.ts";
import type { IdempotencyRecord, IdempotentCall } from "../../journal/idempotency-record.ts";
import { type Appended, DiskFull, type Journal, JournalBusy } from "../../journal/journal.ts";
import type { StagedChunks } from "../../journal/staging.ts";
import type { Log } from "../../kit/log.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { SteadyTime } from "../../kit/time/timers.ts";
import { errorType, type Tracing } from "../../kit/tracing/tracing.ts";
import type { OperatorText } from "../../messages/message.ts";
import { Fault } from "../../operation/fault.ts";
import { startStoring } from "../delivery/entry-spans.ts";
import type { Outbox } from "../delivery/outbox.ts";
import { type ForwardModes, forwarded } from "../forward/forwarded.ts";
import { notStoredText } from "../queries/call.ts";
import type { PushedEntry } from "./read-push.ts";

/** The ids of the entries (for a repeat, the id of the entry it repeats), and how many were repeats. */
export type Stored = Pick<IdempotencyRecord, "ids" | "unchanged" | "inPieces">;
/** What was stored, or why nothing was. */
export type Acceptance = Stored | { readonly notStored: OperatorText };

export { idsIn } from "../../journal/staging.ts";

/** A part of a push: packed entries, with their ids and their sender. */
export interface StagedPart extends StagedChunks {
  readonly topic?: string;
  /** The numbers of the orders or items that the entries are about, as JSON: a million texts would fill the memory. */
  readonly numbers?: string;
}

/** A push that comes in parts. */
export interface StagedPush {
  readonly parts: AsyncIterable<StagedPart>;
  /** Called after the last part. Returns the idempotency record to store, if any; null if nothing is to be stored. */
  readonly end: () => Promise<{ readonly idempotency: Omit<IdempotentCall, "at"> | null } | null>;
}

export interface Accept {
  /** Stores pushed entries, all or none, with the name of their sender. */
  readonly accept: (entries: readonly PushedEntry[], sender?: string) => Promise<Acceptance>;
  /** Stores a push with an idempotency key; if the key is known, nothing is stored. */
  readonly acceptIdempotent: (
    idempotency: Omit<IdempotentCall, "at">,
    entries: readonly PushedEntry[],
    sender?: string,
  ) => Promise<Acceptance | { readonly known: IdempotencyRecord }>;
  /** Stores a push that is too long for one commit. */
  readonly acceptStaged: (push: StagedPush) => Promise<Acceptance | { readonly known: IdempotencyRecord } | null>;
  /** Returns the earlier result for one of these keys. */
  readonly recall: (keys: readonly string[]) => IdempotencyRecord | null;
  /** Stores entries of the adapter itself. */
  readonly append: (entries: readonly PushedEntry[], sender?: string) => Promise<Stored>;
}

/**
 * Limits the time of a state to its arrival: a level that a wrong clock dated in the future would block all later ones.
 */
const momentOf = ({ stateAt }: PushedEntry, receivedAt: number): Pick<NewEntry, "stateAt"> =>
  stateAt === undefined ? {} : { stateAt: Math.min(stateAt, receivedAt) };

/** Reports to the outbox what a push in parts has stored, piece by piece. Called once per journal. */
export function followMoves(needs: {
  readonly journal: Pick<Journal, "onMoved">;
  readonly outbox: Parameters<typeof handOver>[0];
  readonly onTouched: () => void;
}): void {
  needs.journal.onMoved(({ appended, touched }) => {
    if (touched) needs.onTouched();
    handOver(needs.outbox, appended);
  });
}

export interface AcceptNeeds {
  readonly journal: Journal;
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly steadyTime: Pick<SteadyTime, "now">;
  readonly log: Log;
  readonly newEntryId: () => string;
  readonly newReference: () => string;
  /** If true, pushes are refused: the remaining disk space is needed for the outcomes of accepted ones. */
  readonly isDiskFull: () => boolean;
  readonly onTouched: () => void;
  /** Which pushes are forwarded to the platform's own interface; absent: none. */
  readonly forwardModes?: ForwardModes;
  readonly tracing?: Tracing | undefined;
}

/** Stores pushes in the journal. */
export function createAccept(needs: AcceptNeeds): Accept {
  const { journal, outbox } = needs;

  const named = (entries: readonly PushedEntry[], sender: string | undefined): NewEntry[] => {
    if (needs.isDiskFull()) throw new DiskFull();
    const receivedAt = needs.clock.now();
    const from = sender === undefined ? {} : { sender };
    return entries.map((entry) => ({
      ...entry,
      ...from,
      ...momentOf(entry, receivedAt),
      id: needs.newEntryId(),
      receivedAt,
    }));
  };
  const follow = (appended: readonly Appended[]) => {
    if (appended.some((entry) => entry.touched)) needs.onTouched();
    handOver(outbox, appended);
  };
  const idOf = (one: Appended) => ("id" in one ? one.id : (journal.read.brief(one.repeatOf)?.id ?? ""));

  /** Creates one span for all entries of a push and stores it with each of them. */
  const traced = async <Result>(
    entries: readonly NewEntry[],
    store: (entries: readonly NewEntry[]) => Promise<Result>,
  ) => {
    const [first] = entries;
    const storing = first === undefined ? null : startStoring(needs.tracing, first.topic, first.target ?? null);
    if (storing === null) return store(entries);
    const { span, trace } = storing;
    const stored = entries.map((entry) => ({ ...entry, trace }));
    if (span === null) return store(stored);
    try {
      span.set("messaging.batch.message_count", entries.length);
      return await store(stored);
    } catch (error) {
      span.fail(errorType(error));
      throw error;
    } finally {
      span.end();
    }
  };

  const append: Accept["append"] = async (entries, sender) => {
    const appended = await traced(named(entries, sender), (list) => journal.append(list));
    follow(appended);
    return { ids: appended.map(idOf), unchanged: appended.filter((one) => "repeatOf" in one).length };
  };
  const { forwardModes: modes = {} } = needs;
  const sentOn = (entries: readonly PushedEntry[]) => entries.map((entry) => forwarded(entry, modes));
  /**
   * Refuses pushes until those of an earlier process are fully applied, because a newer push must not overtake them.
   */
  const mayPush = () => {
    if (journal.isCatchingUp()) throw new JournalBusy();
  };
  /** Keys are kept for a week, and putting the clock forward must not end that week. */
  const keyedAt = () => needs.steadyTime.now();
  const notStored = (error: unknown) => ({ notStored: notStoredText(error, needs) });

  return {
    append,
    recall: (keys) => journal.recall(keys, keyedAt()),
    accept: async (entries, sender) => {
      try {
        mayPush();
        return await append(sentOn(entries), sender);
      } catch (error) {
        return notStored(error);
      }
    },
    acceptStaged: async ({ parts, end }) => {
      const staging = journal.stage();
      try {
        mayPush();
        for await (const { count, chunks } of parts) {
          if (needs.isDiskFull()) throw new DiskFull();
          if (chunks.length > 0) await staging.add({ count, chunks });
        }
        const wanted = await end();
        if (wanted === null) return null;
        const idempotency = wanted.idempotency === null ? null : { ...wanted.idempotency, at: keyedAt() };
        const outcome = await staging.commit(idempotency);
        if (!("isKnown" in outcome)) {
          const { unchanged, ...inPieces } = outcome;
          return { ids: [], unchanged, inPieces };
        }
        const known = idempotency === null ? null : journal.recall(idempotency.keys, idempotency.at);
        // The record expired between the two reads: the sender has to send it again.
        if (known === null) throw new JournalBusy();
        return { known };
      } catch (error) {
        // A fault from reading the push is not an error of the journal.
        if (error instanceof Fault) throw error;
        return notStored(error);
      } finally {
        // Has no effect after a commit.
        staging.drop();
      }
    },
    acceptIdempotent: async (idempotency, entries, sender) => {
      try {
        mayPush();
        const call = { ...idempotency, at: keyedAt() };
        const result = await traced(named(sentOn(entries), sender), (list) => journal.appendIdempotent(call, list));
        if ("known" in result) return result;
        follow(result.appended);
        return { ids: result.ids, unchanged: result.unchanged };
      } catch (error) {
        return notStored(error);
      }
    },
  };
}

/** Reports the results of an append to the outbox: entries to deliver, and entries that are replaced. */
export function handOver(outbox: Pick<Outbox, "add" | "replace">, appended: readonly Appended[]): void {
  const stored = appended.filter((one) => "seq" in one);
  const added: OpenEntry[] = stored.flatMap(({ emitted }) => emitted);
  const newest = new Map<number, { readonly open: OpenEntry; readonly replaced: readonly number[] }>();
  for (const { seq, superseded, open } of stored) {
    if (open === null) continue;
    // A list may hold the same state twice. Then the first is replaced before the outbox knows it, and its place goes
    // to the second.
    const replaced = superseded.flatMap((older) => [older, ...(newest.get(older)?.replaced ?? [])]);
    for (const older of superseded) newest.delete(older);
    newest.set(seq, { open, replaced });
  }
  for (const { open, replaced } of newest.values()) {
    // A state replaces only states for the same target.
    if (replaced.length > 0) outbox.replace(replaced, open);
    else added.push(open);
  }
  outbox.add(added);
}
