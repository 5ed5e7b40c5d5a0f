import { type PushProgress, type PushState, type PushTopic, pushTopics } from "../../contract/pushes.ts";
import { type Entry, type NewEntry, superseded } from "../../journal/entry.ts";
import type { JournalReader } from "../../journal/journal.ts";
import { textInTurns } from "../../kit/json/bytes-in-turns.ts";
import { parseExactJson } from "../../kit/json/exact-number.ts";
import { parseInTurns } from "../../kit/json/parse-in-turns.ts";
import { isOneOf } from "../../kit/narrow.ts";
import { Fault } from "../../operation/fault.ts";
import { laneToPlatform } from "../../operation/lane.ts";
import type { OpenConnector } from "../../sdk/connector.ts";
import type { DeliveryTarget } from "../delivery/outbox.ts";
import type { PushedEntry } from "../intake/read-push.ts";
import { deliveryOf } from "../queries/call.ts";

/**
 * Returns a pushed entry as it is stored: kept for the platform's queries, queued for the platform's own interface, or
 * both.
 */
export function forwarded(entry: PushedEntry, modes: ForwardModes): PushedEntry {
  const { topic, lanes, payload, body } = entry;
  const mode = isPush(topic) ? (modes[topic] ?? "serve") : "serve";
  if (mode === "serve") return entry;
  return {
    ...entry,
    lanes: lanes.map(laneToPlatform),
    handling: mode === "both" ? "queue" : "pass",
    target: platformName,
    ...newestKey(topic, payload ?? body),
  };
}

/** The members that identify a state, per topic. Topics that are not listed are events, and all of them are sent. */
const identity: Partial<Readonly<Record<PushTopic, readonly string[]>>> = {
  items: ["number"],
  stock: ["itemNumber", "locationName", "lotNumber"],
};

/**
 * The key under which only the newest push is sent; undefined if all are sent. A level with a time of its own replaces
 * only earlier ones, because counts may arrive out of order; one without counts as of its arrival. The names of the
 * other members are part of the key: an item without an image leaves the image unchanged, so it must not replace one
 * that brings an image.
 */
function newestKey(topic: string, payload: string): Pick<NewEntry, "supersedes" | "stateAt"> {
  const parts = Object.hasOwn(identity, topic) ? identity[topic as PushTopic] : undefined;
  if (parts === undefined) return {};
  // The push was checked against the schema of its topic when it was read.
  const pushed = JSON.parse(payload) as Readonly<Record<string, unknown>>;
  const values = parts.map((part) => pushed[part] ?? "");
  const others = Object.keys(pushed).filter(
    (name) => pushed[name] !== null && name !== "asOf" && !parts.includes(name),
  );
  const supersedes = JSON.stringify([topic, ...values, others.sort()]);
  const { asOf } = pushed;
  return typeof asOf === "string" ? { supersedes, stateAt: Date.parse(asOf) } : { supersedes };
}

/**
 * `serve`: answers the platform's queries. `forward`: sent to its own interface, and not stored elsewhere. `both`:
 * both.
 */
export const forwardModes = ["serve", "forward", "both"] as const;
export type ForwardMode = (typeof forwardModes)[number];

/** What is done with the pushes of each topic; the default is `serve`. */
export type ForwardModes = Readonly<Partial<Record<PushTopic, ForwardMode>>>;

/** The target's name in the journal and in deliveries; no connector may have it. */
export const platformName = "platform";

interface PlatformTargetNeeds {
  /** Sends a push of this topic; undefined if no request is configured for it. */
  readonly senderOf: (topic: PushTopic) => OpenConnector["notices"];
  readonly read: JournalReader;
  readonly limits: Omit<DeliveryTarget, "operate">;
}

const isPush = (topic: string): topic is PushTopic => isOneOf(pushTopics, topic);

/** The platform's own interface as a target of the outbox: one request per topic. */
export function platformTarget({ senderOf, read, limits }: PlatformTargetNeeds): DeliveryTarget {
  return {
    ...limits,
    operate: async (entry, signal, record) => {
      const { topic } = entry;
      const send = isPush(topic) ? senderOf(topic) : undefined;
      if (send === undefined) {
        // Dropping the push silently would lose it, so the operator decides.
        const hint = "configure it again and retry the entry, or skip it";
        throw new Fault("rejected", `${platformName}.forward has no request for ${topic} any more: ${hint}`);
      }
      const delivery = deliveryOf(entry, read);
      const context = { language: "en", signal, delivery, ...(record === undefined ? {} : { record }) } as const;
      return send(topic, await parsed(entry.payload ?? entry.body), context);
    },
  };
}

/** While a longer push is parsed, other requests run: an order may have 10,000 lines. */
const longPush = 64 * 1024;
/** More levels than a push may have. */
const maxDepth = 100;

const parsed = async (text: string): Promise<unknown> =>
  text.length <= longPush
    ? parseExactJson(text)
    : await parseInTurns(await textInTurns(text), { parse: parseExactJson, maxDepth });

/** How far a push came; null if there is no such push. */
export function pushProgress(read: JournalReader, id: string): PushProgress | null {
  const entry = read.brief(id);
  const topic = pushTopics.find((one) => one === entry?.topic);
  if (entry === null || topic === undefined || entry.direction !== "in") return null;
  const state = stateOf(entry);
  const newer = state === "superseded" ? read.audit(entry.seq).findLast(({ action }) => action === "supersede") : null;
  return {
    id: entry.id,
    topic,
    state,
    receivedAt: isoTime(entry.receivedAt),
    deliveredAt: entry.deliveredAt === null ? null : isoTime(entry.deliveredAt),
    attempts: entry.attempts + entry.targetFailures,
    nextAttemptAt: entry.nextAt === null ? null : isoTime(entry.nextAt),
    lastStatus: entry.target === null ? null : (read.attempts(entry.seq).at(-1)?.status ?? null),
    supersededBy: newer?.reason ?? null,
  };
}

function stateOf({ state, target, reason }: Entry): PushState {
  switch (state) {
    case "accepted":
    case "retry":
      return "waiting";
    case "inflight":
      return "sending";
    case "delivered":
      return target === null ? "stored" : "delivered";
    case "dead":
      return reason === "refused" ? "refused" : "failed";
    case "discarded":
      return reason === superseded ? "superseded" : "skipped";
    case "rejected":
      return "rejected";
  }
}

const isoTime = (ms: number): string => new Date(ms).toISOString();
