import type { Entry } from "../journal/entry.ts";
import type { JournalReader } from "../journal/journal.ts";
import type { Delivery } from "../sdk/connector.ts";

/** An entry as a connector sees it on its way out. */
export function deliveryOf(entry: Entry, read: JournalReader): Delivery {
  const possibleRepeatOf = entry.suspectOf === null ? undefined : read.entry(entry.suspectOf)?.id;
  return {
    entryId: entry.id,
    seq: entry.seq,
    topic: entry.topic,
    body: entry.body,
    receivedAt: entry.receivedAt,
    attempt: Math.max(1, entry.attempts + entry.targetFailures),
    replay: entry.replays,
    lanes: entry.lanes,
    ...(possibleRepeatOf === undefined ? {} : { possibleRepeatOf }),
  };
}
