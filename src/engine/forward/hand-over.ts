import type { Appended } from "../../journal/journal.ts";
import type { Outbox } from "../outbox/outbox.ts";

/** Tells the outbox what came of an append: what is to be delivered, and what need not be any more. */
export function handOver(outbox: Pick<Outbox, "add" | "forget">, appended: readonly Appended[]): void {
  const stored = appended.filter((one) => "seq" in one);
  const ended = new Set(stored.flatMap(({ superseded }) => superseded));
  // A state supersedes only what goes to the same target.
  for (const { superseded, open } of stored)
    if (superseded.length > 0 && open !== null) outbox.forget(superseded, open.target);
  // A list may hold the same state twice: the first is over before anybody has heard of it.
  const waiting = stored.flatMap(({ open }) => (open === null || ended.has(open.seq) ? [] : [open]));
  outbox.add([...stored.flatMap(({ emitted }) => emitted), ...waiting]);
}
