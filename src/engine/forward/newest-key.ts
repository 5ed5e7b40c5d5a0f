import type { PushTopic } from "../../contract/pushes.ts";
import type { NewEntry } from "../../journal/entry.ts";

/** What tells the states of one topic apart; a topic that is not here says what happened, and all of it is sent. */
const identity: Partial<Readonly<Record<PushTopic, readonly string[]>>> = {
  items: ["number"],
  stock: ["itemNumber", "locationName", "lotNumber"],
};

/**
 * The key under which only the newest push is worth sending; nothing where all are. A level of a time of its own takes
 * the place of earlier ones only: counts may arrive out of order. The names of the members belong to the key: an item
 * without an image leaves the image as it is, so it must not take the place of one that brings it.
 */
export function newestKey(topic: string, payload: string): Pick<NewEntry, "supersedes" | "stateAt"> {
  const parts = Object.hasOwn(identity, topic) ? identity[topic as PushTopic] : undefined;
  if (parts === undefined) return {};
  // Checked against the schema of its topic when it was read.
  const pushed = JSON.parse(payload) as Readonly<Record<string, unknown>>;
  const values = parts.map((part) => pushed[part] ?? "");
  const given = Object.keys(pushed).filter((name) => pushed[name] !== null);
  const supersedes = JSON.stringify([topic, ...values, given.sort()]);
  const { asOf } = pushed;
  return typeof asOf === "string" ? { supersedes, stateAt: Date.parse(asOf) } : { supersedes };
}
