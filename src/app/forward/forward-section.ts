import { type PushTopic, pushTopics } from "../../contract/pushes.ts";
import type { ForwardModes } from "../../engine/forward/forward-mode.ts";
import type { ForwardLimits, ForwardTopic } from "./forward-options.ts";

/** `platform.forward`: one member per topic, and the limits of all of them. */
export type ForwardSection = { readonly [Topic in PushTopic]?: ForwardTopic } & { readonly limits?: ForwardLimits };

/** The member beside the topics. */
export const limitsName = "limits";

/** What becomes of the pushes of each topic that is named. */
export const modesOf = (forward: ForwardSection): ForwardModes =>
  Object.fromEntries(
    pushTopics.flatMap((topic) => {
      const own = forward[topic];
      return own === undefined ? [] : [[topic, own.mode] as const];
    }),
  );
