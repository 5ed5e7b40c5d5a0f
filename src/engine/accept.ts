import type { NewEntry } from "../journal/entry.ts";
import { type Appended, DiskFull } from "../journal/journal.ts";
import type { Once, OnceRecord } from "../journal/once.ts";
import type { OperatorText } from "../messages/message.ts";
import type { EngineNeeds } from "./engine.ts";
import { forwarded } from "./forward/forwarded.ts";
import { handOver } from "./forward/hand-over.ts";
import type { PushedEntry } from "./read-push.ts";
import { notStoredText } from "./settle-fault.ts";

/** Under what its entries are found: of a repeat the id of the entry it repeats. How many were repeats. */
export type Stored = Pick<OnceRecord, "ids" | "unchanged">;
/** What was stored, or why nothing was. */
export type Acceptance = Stored | { readonly notStored: OperatorText };

export interface Accept {
  /** Stores pushed entries, all or none, with the name of whoever pushed them. */
  readonly accept: (entries: readonly PushedEntry[], sender?: string) => Promise<Acceptance>;
  /** The same for a push with a name of its own: what came under it before is not stored again. */
  readonly acceptOnce: (
    once: Omit<Once, "at">,
    entries: readonly PushedEntry[],
    sender?: string,
  ) => Promise<Acceptance | { readonly known: OnceRecord }>;
  /** What came before under one of these names. */
  readonly recall: (keys: readonly string[]) => OnceRecord | null;
  /** Stores entries of our own account. */
  readonly append: (entries: readonly PushedEntry[], sender?: string) => Promise<Stored>;
}

/** Nothing is known of the future: a level that a wrong clock dates there would put an end to all that follow. */
const momentOf = ({ stateAt }: PushedEntry, receivedAt: number): Pick<NewEntry, "stateAt"> =>
  stateAt === undefined ? {} : { stateAt: Math.min(stateAt, receivedAt) };

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
  const sentOn = (entries: readonly PushedEntry[]) => {
    const modes = writing.forwardModes?.() ?? {};
    return entries.map((entry) => forwarded(entry, modes));
  };
  const notStored = (error: unknown) => ({ notStored: notStoredText(error, needs) });

  return {
    append,
    recall: (keys) => journal.recall(keys, needs.clock.now()),
    accept: async (entries, sender) => {
      try {
        return await append(sentOn(entries), sender);
      } catch (error) {
        return notStored(error);
      }
    },
    acceptOnce: async (once, entries, sender) => {
      try {
        const result = await journal.appendOnce({ ...once, at: needs.clock.now() }, named(sentOn(entries), sender));
        if ("known" in result) return result;
        follow(result.appended);
        return { ids: result.ids, unchanged: result.unchanged };
      } catch (error) {
        return notStored(error);
      }
    },
  };
}
