import type { PushTopic } from "../../contract/pushes.ts";

/** What tells the states of one topic apart; a topic that is not here says what happened, and all of it is sent. */
const identity: Partial<Readonly<Record<PushTopic, readonly string[]>>> = {
  items: ["number"],
  stock: ["itemNumber", "locationName", "lotNumber"],
};

/**
 * The key under which only the newest push is worth sending; undefined where all are. The names of the members belong
 * to it: an item without an image leaves the image as it is, so it must not take the place of one that brings it.
 */
export function newestKey(topic: string, payload: string): string | undefined {
  const parts = Object.hasOwn(identity, topic) ? identity[topic as PushTopic] : undefined;
  if (parts === undefined) return undefined;
  // Checked against the schema of its topic when it was read.
  const pushed = JSON.parse(payload) as Readonly<Record<string, unknown>>;
  const values = parts.map((part) => pushed[part] ?? "");
  const given = Object.keys(pushed).filter((name) => pushed[name] !== null);
  return JSON.stringify([topic, ...values, given.sort()]);
}
