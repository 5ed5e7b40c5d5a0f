import type { Clock } from "../../kit/time/clock.ts";
import { say } from "../../messages/message.ts";
import { type Condition, wallTime } from "./alarm.ts";

/** The polls and watched folders whose last read failed. */
export interface SourceFailures {
  /** Records the result of one read of a part of a connector. */
  readonly note: (connector: string, part: string, result: "worked" | "failed") => void;
  readonly conditions: (needs: {
    readonly timeZone: string;
    /** How long the reads have to fail; 0: no alarm. */
    readonly minutes: number;
  }) => Condition[];
}

export function sourceFailures({ clock }: { readonly clock: Clock }): SourceFailures {
  const failing = new Map<string, Map<string, number>>();
  return {
    note: (connector, part, result) => {
      const parts = failing.get(connector) ?? new Map<string, number>();
      if (result === "worked") parts.delete(part);
      else if (!parts.has(part)) parts.set(part, clock.now());
      if (parts.size === 0) failing.delete(connector);
      else failing.set(connector, parts);
    },
    // Without the reasons: they may quote what an external system answered, and this text is shown without a key.
    conditions: ({ timeZone, minutes }) =>
      minutes === 0
        ? []
        : [...failing].map(([connector, parts]) => {
            const time = wallTime(Math.min(...parts.values()), timeZone);
            const values = { connector, parts: [...parts.keys()].toSorted().join(", "), time };
            return {
              ...{ kind: "source", subject: connector, text: say("alarms.source", values) },
              raiseAfterMs: minutes * 60_000,
            };
          }),
  };
}
