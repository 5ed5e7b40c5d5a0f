import type { NewEntry, OpenEntry } from "../../journal/entry.ts";
import type { IdempotencyRecord, IdempotentCall } from "../../journal/idempotency-record.ts";
import { type Appended, DiskFull, type Journal, JournalBusy } from "../../journal/journal.ts";
import type { StagedChunks } from "../../journal/staging.ts";
import type { OperatorText } from "../../messages/message.ts";
import { Fault } from "../../operation/fault.ts";
import type { Outbox } from "../delivery/outbox.ts";
import type { EngineNeeds } from "../engine.ts";
import { forwarded } from "../forward/forwarded.ts";
import { notStoredText } from "../queries/call.ts";
import type { PushedEntry } from "./read-push.ts";

/** Under what its entries are found: of a repeat the id of the entry it repeats. How many were repeats. */
export type Stored = Pick<IdempotencyRecord, "ids" | "unchanged" | "inPieces">;
/** What was stored, or why nothing was. */
export type Acceptance = Stored | { readonly notStored: OperatorText };

export { idsIn, type StagedChunks } from "../../journal/staging.ts";

/** A push that comes in parts: packed entries, with their ids and their sender. */
export interface StagedPush {
  readonly parts: AsyncIterable<StagedChunks>;
  /** Called behind the last part: under which names it is to be stored, if any; null where nothing of it is to be stored. */
  readonly end: () => Promise<{ readonly idempotency: Omit<IdempotentCall, "at"> | null } | null>;
}

export interface Accept {
  /** Stores pushed entries, all or none, with the name of whoever pushed them. */
  readonly accept: (entries: readonly PushedEntry[], sender?: string) => Promise<Acceptance>;
  /** The same for a push with a name of its own: what came under it before is not stored again. */
  readonly acceptIdempotent: (
    idempotency: Omit<IdempotentCall, "at">,
    entries: readonly PushedEntry[],
    sender?: string,
  ) => Promise<Acceptance | { readonly known: IdempotencyRecord }>;
  /** The same for a push that is too long for one commit. */
  readonly acceptStaged: (push: StagedPush) => Promise<Acceptance | { readonly known: IdempotencyRecord } | null>;
  /** What came before under one of these names. */
  readonly recall: (keys: readonly string[]) => IdempotencyRecord | null;
  /** Stores entries of our own account. */
  readonly append: (entries: readonly PushedEntry[], sender?: string) => Promise<Stored>;
}

/** Nothing is known of the future: a level that a wrong clock dates there would put an end to all that follow. */
const momentOf = ({ stateAt }: PushedEntry, receivedAt: number): Pick<NewEntry, "stateAt"> =>
  stateAt === undefined ? {} : { stateAt: Math.min(stateAt, receivedAt) };

/** Hands over what a push in parts has stored piece by piece. Once per journal, whoever stores something. */
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

/** How pushes get into the journal. */
export function createAccept(needs: EngineNeeds, writing: NonNullable<EngineNeeds["writing"]>): Accept {
  const { journal, outbox } = writing;

  const named = (entries: readonly PushedEntry[], sender: string | undefined): NewEntry[] => {
    if (writing.isDiskFull()) throw new DiskFull();
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
  const idOf = (one: Appended) => ("id" in one ? one.id : (journal.read.entry(one.repeatOf)?.id ?? ""));

  const append: Accept["append"] = async (entries, sender) => {
    const appended = await journal.append(named(entries, sender));
    follow(appended);
    return { ids: appended.map(idOf), unchanged: appended.filter((one) => "repeatOf" in one).length };
  };
  const { forwardModes: modes = {} } = writing;
  const sentOn = (entries: readonly PushedEntry[]) => entries.map((entry) => forwarded(entry, modes));
  /** A push of an earlier process that is not all there yet must not be overtaken by a newer one. */
  const mayPush = () => {
    if (journal.isCatchingUp()) throw new JournalBusy();
  };
  const notStored = (error: unknown) => ({ notStored: notStoredText(error, needs) });

  return {
    append,
    recall: (keys) => journal.recall(keys, needs.clock.now()),
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
        for await (const part of parts) {
          if (writing.isDiskFull()) throw new DiskFull();
          await staging.add(part);
        }
        const wanted = await end();
        if (wanted === null) return null;
        const idempotency = wanted.idempotency === null ? null : { ...wanted.idempotency, at: needs.clock.now() };
        const outcome = await staging.commit(idempotency);
        if (!("isKnown" in outcome)) {
          const { unchanged, ...inPieces } = outcome;
          return { ids: [], unchanged, inPieces };
        }
        const known = idempotency === null ? null : journal.recall(idempotency.keys, idempotency.at);
        // Known a moment ago, and forgotten since: whoever sends it again is told anew.
        if (known === null) throw new JournalBusy();
        return { known };
      } catch (error) {
        // What goes wrong with reading it is not for the journal to explain.
        if (error instanceof Fault) throw error;
        return notStored(error);
      } finally {
        // No more than a word where all of it counts.
        staging.drop();
      }
    },
    acceptIdempotent: async (idempotency, entries, sender) => {
      try {
        mayPush();
        const result = await journal.appendIdempotent(
          { ...idempotency, at: needs.clock.now() },
          named(sentOn(entries), sender),
        );
        if ("known" in result) return result;
        follow(result.appended);
        return { ids: result.ids, unchanged: result.unchanged };
      } catch (error) {
        return notStored(error);
      }
    },
  };
}

/** Tells the outbox what came of an append: what is to be delivered, and what need not be any more. */
export function handOver(outbox: Pick<Outbox, "add" | "replace">, appended: readonly Appended[]): void {
  const stored = appended.filter((one) => "seq" in one);
  const added: OpenEntry[] = stored.flatMap(({ emitted }) => emitted);
  const newest = new Map<number, { readonly open: OpenEntry; readonly replaced: readonly number[] }>();
  for (const { seq, superseded, open } of stored) {
    if (open === null) continue;
    // A list may hold the same state twice: the first is over before anybody has heard of it, and leaves its place.
    const replaced = superseded.flatMap((older) => [older, ...(newest.get(older)?.replaced ?? [])]);
    for (const older of superseded) newest.delete(older);
    newest.set(seq, { open, replaced });
  }
  for (const { open, replaced } of newest.values()) {
    // A state supersedes only what goes to the same target.
    if (replaced.length > 0) outbox.replace(replaced, open);
    else added.push(open);
  }
  outbox.add(added);
}
