import type { PushTopic } from "../../contract/pushes.ts";

/** `serve`: answered to the platform's pulls. `forward`: sent to its own interface, and kept nowhere else. `both`. */
export const forwardModes = ["serve", "forward", "both"] as const;
export type ForwardMode = (typeof forwardModes)[number];

/** What becomes of the pushes of each topic; what is not named is served. */
export type ForwardModes = Readonly<Partial<Record<PushTopic, ForwardMode>>>;

/** The target's name in the journal and among the deliveries; no connector may have it. */
export const platformName = "platform";
