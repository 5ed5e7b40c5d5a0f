import type { OpenEntry } from "../../journal/entry.ts";
import type { Appended } from "../../journal/journal.ts";
import type { Outbox } from "../outbox/outbox.ts";

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
