import type { PushTopic } from "../../contract/pushes.ts";
import { laneToPlatform } from "../../sdk/lane.ts";
import type { PushedEntry } from "../read-push.ts";
import { type ForwardModes, platformName } from "./forward-mode.ts";
import { newestKey } from "./newest-key.ts";

/** A pushed entry as it is stored: kept for the platform's pulls, queued for its own interface, or both. */
export function forwarded(entry: PushedEntry, modes: ForwardModes): PushedEntry {
  const { topic, lanes, payload, body } = entry;
  const mode = Object.hasOwn(modes, topic) ? (modes[topic as PushTopic] ?? "serve") : "serve";
  if (mode === "serve") return entry;
  return {
    ...entry,
    lanes: lanes.map(laneToPlatform),
    handling: mode === "both" ? "queue" : "pass",
    target: platformName,
    ...newestKey(topic, payload ?? body),
  };
}
